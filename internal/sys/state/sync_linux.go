package state

import "syscall"

func syncData(fd int) error { return syscall.Fdatasync(fd) }
