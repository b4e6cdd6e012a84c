package state

import "syscall"

// syncData flushes the content of the file fd to the disk, but not its times.
func syncData(fd int) error { return syscall.Fdatasync(fd) }
