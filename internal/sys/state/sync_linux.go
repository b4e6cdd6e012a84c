package state

import "syscall"

// syncData flushes the content of the file to the disk, without its times.
func syncData(fd int) error { return syscall.Fdatasync(fd) }
