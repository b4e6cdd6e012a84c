//go:build !unix

package environ

import "os"

// A pathInfo describes the file at a path. Files have no simple owner on this system.
type pathInfo struct {
	exists bool
	uid    uint32
}

// statPath returns whether the file at path exists, after symlinks. This system offers no simple
// owner, kind or mode, so the rest stays zero.
func statPath(path string) pathInfo {
	_, err := os.Stat(path)
	return pathInfo{exists: err == nil}
}

// lstatPath is statPath for the file itself, which may be a symlink.
func lstatPath(path string) pathInfo {
	_, err := os.Lstat(path)
	return pathInfo{exists: err == nil}
}

func (l pathInfo) isForeign(uint32) bool { return false }

func (l pathInfo) isOwn() bool { return l.exists }
