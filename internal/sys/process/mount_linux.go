package process

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// The kernel's openat2, which the syscall package does not know.
const (
	sysOpenat2  = 437
	noOtherTree = 0x01 // RESOLVE_NO_XDEV
	pathOnly    = 0x200000
)

type openHow struct{ flags, mode, resolve uint64 }

// Mounted reports whether an entry of a directory is on another mount than the
// directory itself: something was put over it. Kernels before 5.6 tell only of
// another file system.
func Mounted(dir, name string) bool {
	at, err := syscall.Open(dir, pathOnly|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(at)
	fd, err := openWithin(at, name, pathOnly|syscall.O_NOFOLLOW)
	switch err {
	case nil:
		_ = syscall.Close(fd)
	case syscall.EXDEV:
		return true
	case syscall.ENOSYS, syscall.EPERM: // as filters of containers say it
		var a, b syscall.Stat_t
		return syscall.Fstat(at, &a) == nil && syscall.Lstat(dir+"/"+name, &b) == nil && a.Dev != b.Dev
	}
	return false
}

// ReadWithin reads a file below a directory, and none that was put over it.
func ReadWithin(dir, name string) ([]byte, error) {
	at, err := syscall.Open(dir, pathOnly|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(at)
	fd, err := openWithin(at, name, syscall.O_RDONLY)
	if err == syscall.ENOSYS || err == syscall.EPERM { // as above
		return os.ReadFile(dir + "/" + name)
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return io.ReadAll(f)
}

// openWithin opens what lies below an open directory, on the same mount.
func openWithin(dir int, name string, flags uint64) (int, error) {
	path, err := syscall.BytePtrFromString(name)
	if err != nil {
		return -1, err
	}
	how := openHow{flags: flags | syscall.O_CLOEXEC, resolve: noOtherTree}
	for {
		fd, _, errno := syscall.Syscall6(sysOpenat2, uintptr(dir), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
		switch errno {
		case 0:
			return int(fd), nil
		case syscall.EINTR, syscall.EAGAIN: // which a rename beside it causes
			continue
		}
		return -1, errno
	}
}
