package process

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

// CanImage returns why no program can run from memory here; nil = it can.
func CanImage() error { return nil }

const (
	memSealable = 0x2  // MFD_ALLOW_SEALING
	memExec     = 0x10 // MFD_EXEC, since Linux 6.3
	addSeals    = 1033 // F_ADD_SEALS
	allSeals    = 0xf  // no seal, size or byte can change any more
)

// sysMemfd is the number of memfd_create, which the syscall package does not know
// everywhere; 0 = unknown.
func sysMemfd() uintptr {
	switch runtime.GOARCH {
	case "amd64":
		return 319
	case "arm64", "riscv64", "loong64":
		return 279
	case "386":
		return 356
	case "arm":
		return 385
	case "ppc64", "ppc64le":
		return 360
	case "s390x":
		return 350
	}
	return 0
}

// imaged puts a program into a file without a name, seals it against every change,
// and has cmd run that. The program inherits it: an interpreter reads its script
// there.
func imaged(cmd *exec.Cmd, program []byte) (*os.File, error) {
	fd, err := memfd("hook")
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "hook")
	if _, err = f.Write(program); err == nil {
		if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), addSeals, allSeals); errno != 0 {
			err = os.NewSyscallError("fcntl", errno)
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	cmd.Path, cmd.Err = "/proc/self/fd/"+strconv.Itoa(2+len(cmd.ExtraFiles)), nil
	return f, nil
}

func memfd(name string) (int, error) {
	number := sysMemfd()
	if number == 0 {
		return -1, errors.ErrUnsupported
	}
	at, err := syscall.BytePtrFromString(name)
	if err != nil {
		return -1, err
	}
	syscall.ForkLock.RLock() // until no other program can inherit it
	defer syscall.ForkLock.RUnlock()
	for _, more := range [...]uintptr{memExec, 0} { // which older kernels do not know
		fd, _, errno := syscall.Syscall(number, uintptr(unsafe.Pointer(at)), memSealable|more, 0)
		if errno == 0 {
			syscall.CloseOnExec(int(fd))
			return int(fd), nil
		}
		err = errno
	}
	return -1, err
}
