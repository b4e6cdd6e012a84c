//go:build unix && !linux

package state

import "syscall"

func syncData(fd int) error { return syscall.Fsync(fd) }
