//go:build unix

package localhttp

import (
	"os"
	"path/filepath"
	"syscall"
)

// private makes files that are made from now on their owner's alone, until the
// returned function is called.
func private() (restore func()) {
	was := syscall.Umask(0o177)
	return func() { syscall.Umask(was) }
}

// othersWrite reports whether other users than root can replace what lies in a
// directory, or put another directory in its place.
func othersWrite(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false // then nothing can be made there
	}
	for {
		info, err := os.Lstat(dir)
		if err != nil {
			return true
		}
		sys, ok := info.Sys().(*syscall.Stat_t)
		if !ok || sys.Uid != 0 && int(sys.Uid) != os.Getuid() || info.Mode().Perm()&0o022 != 0 && info.Mode()&os.ModeSticky == 0 {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
