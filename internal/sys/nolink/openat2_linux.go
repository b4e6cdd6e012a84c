package nolink

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Constants of the kernel, which are the same on all architectures.
const (
	openat2        = 437
	atCwd          = -100
	flagPath       = 0x200000 // O_PATH: do not open the file itself
	resolveNoLinks = 0x04
)

// unsupported is set once the system turned out to lack openat2, or a filter forbids it.
var unsupported atomic.Bool

// isFreeOfLinks reports whether no element of path is a symlink. Unless end is set, the last element
// may be one. False may also mean that this is unknown.
func isFreeOfLinks(path string, end bool) bool {
	if unsupported.Load() {
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
	case syscall.ENOENT, syscall.ENOTDIR: // there is no symlink before the missing element, and nothing after it
		return true
	case syscall.ENOSYS, syscall.EPERM:
		unsupported.Store(true)
	}
	return false
}
