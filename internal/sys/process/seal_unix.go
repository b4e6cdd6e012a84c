//go:build unix

package process

import (
	"os"
	"strconv"
	"syscall"
)

// closeEachOnExec marks the descriptors that dir lists as close-on-exec or, if the list is not usable,
// all possible ones.
func closeEachOnExec(dir string) {
	names, err := listDir(dir)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	if err == nil && len(names) > 3 {
		return // the list is complete: without fdescfs, /dev/fd lists only the standard descriptors
	}
	var limit syscall.Rlimit
	most := 1 << 16
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && uint64(limit.Cur) < uint64(most) {
		most = int(limit.Cur)
	}
	for fd := 3; fd < most; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// listDir returns the names in a directory.
func listDir(name string) ([]string, error) {
	d, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}
