//go:build unix

package userdirs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const byAll = 0o002 // everyone may write

// A look is what the system says of a path.
type look struct {
	there, link, dir bool
	mode             uint32
	uid              uint32
}

// lookAt asks the system itself: what package os says takes memory, and whether its
// errors mean that nothing is there takes time.
func lookAt(path string) (look, error) {
	var st syscall.Stat_t
	err := syscall.Lstat(path, &st)
	for err == syscall.EINTR {
		err = syscall.Lstat(path, &st)
	}
	switch {
	case err == syscall.ENOENT:
		return look{}, nil
	case err != nil:
		return look{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	kind := uint32(st.Mode) & syscall.S_IFMT
	return look{true, kind == syscall.S_IFLNK, kind == syscall.S_IFDIR, uint32(st.Mode), st.Uid}, nil
}

// checkDir returns why a directory on the way, or the last one, makes a path anyone
// else's.
func checkDir(path string, is look, last bool) error {
	sticky := is.mode&syscall.S_ISVTX != 0
	if is.dir && is.mode&byAll != 0 && (last || !sticky) {
		return fmt.Errorf("everyone may write to %s: run chmod o-w %s", path, path)
	}
	if last && !isOurs(is.uid) {
		return fmt.Errorf("it belongs to user %d, not to you (user %d): move it away, or ask its owner to transfer it to you", is.uid, os.Geteuid())
	}
	return nil
}

// CheckFile returns why a configuration file is not the person's: another user's, or
// everyone may write to it.
func CheckFile(path string) error {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	switch {
	case st.Mode&byAll != 0:
		return fmt.Errorf("everyone may write to it, so it is not read: check its contents, then run chmod o-w %s", path)
	case !isOurs(st.Uid):
		return fmt.Errorf("it belongs to user %d, not to you (user %d), so it is not read: check its contents, then run chown %d %s", st.Uid, os.Geteuid(), os.Geteuid(), path)
	}
	return nil
}

// isOurs reports whether a user is this one or root, who can do everything anyway.
func isOurs(uid uint32) bool { return uid == 0 || int(uid) == os.Geteuid() }

// Changeable returns the file or folder through which this user, and so an agent that
// runs as them, may replace a program; "" = none. Root may change everything.
func Changeable(program string) string {
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

const byGroup = 0o020 // the group may write

// Replaceable returns who besides the person and root may change a program, or put another
// in its place; "" = nobody. A group that bears the number of its only user is the
// person's own.
func Replaceable(program string) string {
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
		case !isOurs(st.Uid):
			return fmt.Sprintf("user %d, who is not you, owns %s", st.Uid, path)
		case st.Mode&byAll != 0 && !sticky:
			return "everyone may write to " + path
		case st.Mode&byGroup != 0 && !sticky && st.Gid != 0 && int(st.Gid) != os.Geteuid():
			return fmt.Sprintf("group %d may write to %s", st.Gid, path)
		}
	}
	return ""
}
