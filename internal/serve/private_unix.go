//go:build unix

package serve

import "syscall"

// private makes files that are made from now on their owner's alone, until the
// returned function is called.
func private() (restore func()) {
	was := syscall.Umask(0o177)
	return func() { syscall.Umask(was) }
}
