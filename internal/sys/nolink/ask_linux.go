package nolink

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// What the system calls it; numbers are the same on all architectures.
const (
	openat2        = 437
	atCwd          = -100
	flagPath       = 0x200000 // O_PATH: nothing is opened but the name
	resolveNoLinks = 0x04
)

// missing means that the system does not know the question, or that somebody forbids it.
var missing atomic.Bool

func ask(path string, end bool) bool {
	if missing.Load() {
		return false
	}
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return false
	}
	at := atCwd
	how := struct{ flags, mode, resolve uint64 }{flagPath | syscall.O_CLOEXEC, 0, resolveNoLinks}
	if !end {
		how.flags |= syscall.O_NOFOLLOW
	}
	fd, _, no := syscall.Syscall6(openat2, uintptr(at), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	switch no {
	case 0:
		syscall.Close(int(fd))
		return true
	case syscall.ENOENT, syscall.ENOTDIR: // what is before it was no link, and behind it is nothing
		return true
	case syscall.ENOSYS, syscall.EPERM:
		missing.Store(true)
	}
	return false
}
