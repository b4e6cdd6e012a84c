//go:build unix

package state

import "syscall"

// present reports whether anything lies at a path, a link that leads nowhere included.
// Unlike os.Lstat it makes nothing of the answer: most looks find nothing.
func present(path string) bool {
	var st syscall.Stat_t
	for {
		if err := syscall.Lstat(path, &st); err != syscall.EINTR {
			return err == nil
		}
	}
}
