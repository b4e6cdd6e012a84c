//go:build unix && !linux

package state

import "syscall"

// syncData flushes the content of the file to the disk.
func syncData(fd int) error { return syscall.Fsync(fd) }
