//go:build unix

package environ

import (
	"os"
	"syscall"
)

// A pathInfo describes the file at a path. The zero pathInfo means that there is none.
type pathInfo struct {
	exists bool
	uid    uint32
	mode   uint32
}

// statPath returns the pathInfo of path, following symlinks.
func statPath(path string) pathInfo {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return pathInfo{}
	}
	return pathInfo{true, st.Uid, uint32(st.Mode)}
}

// lstatPath is statPath without following a symlink at path.
func lstatPath(path string) pathInfo {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) != nil {
		return pathInfo{}
	}
	return pathInfo{true, st.Uid, uint32(st.Mode)}
}

// isForeign reports whether the file belongs to a user other than this one, root, and worker, the
// owner of the session's directory.
func (l pathInfo) isForeign(worker uint32) bool {
	return l.exists && l.uid != 0 && l.uid != worker && int(l.uid) != os.Geteuid()
}

// isOwn reports whether the file belongs to this user or root, and not every user may write to it.
func (l pathInfo) isOwn() bool {
	return l.exists && (l.uid == 0 || int(l.uid) == os.Geteuid()) && l.mode&0o002 == 0
}
