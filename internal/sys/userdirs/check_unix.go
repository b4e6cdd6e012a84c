//go:build unix

package userdirs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const worldWritable = 0o002 // every user may write

// A pathInfo describes the file at a path. The zero pathInfo means that there is none.
type pathInfo struct {
	there, link, dir bool
	mode             uint32
	uid              uint32
}

// statPath returns the pathInfo of path without following a symlink. It calls the system directly,
// because package os allocates memory and testing its errors for a missing file takes time.
func statPath(path string) (pathInfo, error) {
	var st syscall.Stat_t
	err := syscall.Lstat(path, &st)
	for err == syscall.EINTR {
		err = syscall.Lstat(path, &st)
	}
	switch {
	case err == syscall.ENOENT:
		return pathInfo{}, nil
	case err != nil:
		return pathInfo{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	kind := uint32(st.Mode) & syscall.S_IFMT
	return pathInfo{true, kind == syscall.S_IFLNK, kind == syscall.S_IFDIR, uint32(st.Mode), st.Uid}, nil
}

// checkPathDir returns an error if other users may replace what is in path, a directory on the way. If
// last is set, path is the directory itself: no other user may own it or write to it.
func checkPathDir(path string, is pathInfo, last bool) error {
	sticky := is.mode&syscall.S_ISVTX != 0
	if is.dir && is.mode&worldWritable != 0 && (last || !sticky) {
		return fmt.Errorf("everyone may write to %s: run chmod o-w %s", path, path)
	}
	if last && !isSelfOrRoot(is.uid) {
		return fmt.Errorf("it belongs to user %d, not to you (user %d): move it away, or ask its owner to transfer it to you", is.uid, os.Geteuid())
	}
	return nil
}

// CheckFile returns an error if the configuration file path is not the user's own: it belongs to
// another user, or every user may write to it.
func CheckFile(path string) error {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	switch {
	case st.Mode&worldWritable != 0:
		return fmt.Errorf("everyone may write to it, so it is not read: check its contents, then run chmod o-w %s", path)
	case !isSelfOrRoot(st.Uid):
		return fmt.Errorf("it belongs to user %d, not to you (user %d), so it is not read: check its contents, then run chown %d %s", st.Uid, os.Geteuid(), os.Geteuid(), path)
	}
	return nil
}

// isSelfOrRoot reports whether uid is this user or root, who can do everything anyway.
func isSelfOrRoot(uid uint32) bool { return uid == 0 || int(uid) == os.Geteuid() }

// WritablePath returns the file or directory through which this user, and so an agent that runs as
// this user, may replace program, or "" if there is none. For root, who may change everything, it
// returns "".
func WritablePath(program string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil || os.Geteuid() == 0 {
		return ""
	}
	for _, path := range [...]string{filepath.Dir(program), filepath.Dir(real), real} {
		if syscall.Access(path, 2) == nil {
			return path
		}
	}
	return ""
}

const groupWritable = 0o020 // the group may write

// WhoCanReplace describes who other than this user and root may change or replace program, or returns
// "" if no other user may. A group with the same number as the user is the user's own.
func WhoCanReplace(program string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	for _, path := range [...]string{real, filepath.Dir(real), filepath.Dir(program)} {
		var st syscall.Stat_t
		if syscall.Stat(path, &st) != nil {
			continue
		}
		sticky := st.Mode&syscall.S_IFMT == syscall.S_IFDIR && st.Mode&syscall.S_ISVTX != 0
		switch {
		case !isSelfOrRoot(st.Uid):
			return fmt.Sprintf("user %d, who is not you, owns %s", st.Uid, path)
		case st.Mode&worldWritable != 0 && !sticky:
			return "everyone may write to " + path
		case st.Mode&groupWritable != 0 && !sticky && st.Gid != 0 && int(st.Gid) != os.Geteuid():
			return fmt.Sprintf("group %d may write to %s", st.Gid, path)
		}
	}
	return ""
}
