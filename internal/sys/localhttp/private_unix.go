//go:build unix

package localhttp

import (
	"os"
	"path/filepath"
	"syscall"
)

// setPrivateUmask makes new files accessible to their owner only, until restore is called.
func setPrivateUmask() (restore func()) {
	was := syscall.Umask(0o177)
	return func() { syscall.Umask(was) }
}

// othersCanReplace reports whether users other than root and this one can replace files in dir, or dir
// itself.
func othersCanReplace(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false // creating a socket there fails anyway
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
