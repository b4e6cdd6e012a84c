//go:build unix

package whose

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const byAll = 0o002 // everyone may write

// checkDir says why a directory on the way, or the last one, makes a path anyone
// else's.
func checkDir(path string, info fs.FileInfo, last bool) error {
	sticky := info.Mode()&fs.ModeSticky != 0
	if info.IsDir() && info.Mode().Perm()&byAll != 0 && (last || !sticky) {
		return fmt.Errorf("everyone may write to %s: run chmod o-w %s", path, path)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); last && ok && !isOurs(st.Uid) {
		return fmt.Errorf("it belongs to user %d, not to you (user %d): move it away, or have its owner give it to you", st.Uid, os.Geteuid())
	}
	return nil
}

// CheckFile says why a configuration file is not the person's: another user's, or
// everyone may write to it.
func CheckFile(path string) error {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	switch {
	case st.Mode&byAll != 0:
		return fmt.Errorf("everyone may write to it, so it is not read: look at it, then run chmod o-w %s", path)
	case !isOurs(st.Uid):
		return fmt.Errorf("it belongs to user %d, not to you (user %d), so it is not read: look at it, then run chown %d %s", st.Uid, os.Geteuid(), os.Geteuid(), path)
	}
	return nil
}

// isOurs reports whether a user is this one or root, who can do everything anyway.
func isOurs(uid uint32) bool { return uid == 0 || int(uid) == os.Geteuid() }
