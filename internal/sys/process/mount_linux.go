package process

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// Constants of the openat2 system call, which package syscall lacks.
const (
	sysOpenat2    = 437
	resolveNoXDev = 0x01 // RESOLVE_NO_XDEV
	pathOnly      = 0x200000
)

// openHow is the kernel's struct open_how.
type openHow struct{ flags, mode, resolve uint64 }

// IsMountedOver reports whether the entry name of dir is on another mount than dir itself, so that the
// mount hides it. With kernels before 5.6 it detects only another file system.
func IsMountedOver(dir, name string) bool {
	at, err := syscall.Open(dir, pathOnly|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(at)
	fd, err := openSameMount(at, name, pathOnly|syscall.O_NOFOLLOW)
	switch err {
	case nil:
		_ = syscall.Close(fd)
	case syscall.EXDEV:
		return true
	case syscall.ENOSYS, syscall.EPERM: // returned by old kernels and the filters of containers
		var a, b syscall.Stat_t
		return syscall.Fstat(at, &a) == nil && syscall.Lstat(dir+"/"+name, &b) == nil && a.Dev != b.Dev
	}
	return false
}

// ReadSameMount returns the content of the file name below dir. It fails if another mount hides the
// file.
func ReadSameMount(dir, name string) ([]byte, error) {
	at, err := syscall.Open(dir, pathOnly|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(at)
	fd, err := openSameMount(at, name, syscall.O_RDONLY)
	if err == syscall.ENOSYS || err == syscall.EPERM { // returned by old kernels and the filters of containers
		return os.ReadFile(dir + "/" + name)
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return io.ReadAll(f)
}

// openSameMount opens the file name below the open directory dir, and fails with EXDEV if it is on
// another mount.
func openSameMount(dir int, name string, flags uint64) (int, error) {
	path, err := syscall.BytePtrFromString(name)
	if err != nil {
		return -1, err
	}
	how := openHow{flags: flags | syscall.O_CLOEXEC, resolve: resolveNoXDev}
	for {
		fd, _, errno := syscall.Syscall6(sysOpenat2, uintptr(dir), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
		switch errno {
		case 0:
			return int(fd), nil
		case syscall.EINTR, syscall.EAGAIN: // a concurrent rename causes EAGAIN
			continue
		}
		return -1, errno
	}
}
