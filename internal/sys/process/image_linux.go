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

// CheckImage returns an error if programs cannot run from memory on this system; see Spec.Image.
func CheckImage() error { return nil }

const (
	memSealable = 0x2  // MFD_ALLOW_SEALING
	memExec     = 0x10 // MFD_EXEC, since Linux 6.3
	addSeals    = 1033 // F_ADD_SEALS
	allSeals    = 0xf  // seals, size and content can no longer change
)

// sysMemfd returns the number of the memfd_create system call, which package syscall lacks on some
// architectures, or 0 if it is unknown.
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

// runFromMemory writes program to an unnamed file in memory, seals the file against every change, and
// makes cmd execute it. The process inherits the file, so an interpreter can read its script there.
func runFromMemory(cmd *exec.Cmd, program []byte) (*os.File, error) {
	fd, err := createMemfd("hook")
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

// createMemfd returns the descriptor of a new file in memory that can be sealed and executed.
func createMemfd(name string) (int, error) {
	number := sysMemfd()
	if number == 0 {
		return -1, errors.ErrUnsupported
	}
	at, err := syscall.BytePtrFromString(name)
	if err != nil {
		return -1, err
	}
	syscall.ForkLock.RLock() // until the file is marked close-on-exec
	defer syscall.ForkLock.RUnlock()
	for _, more := range [...]uintptr{memExec, 0} { // older kernels reject memExec
		fd, _, errno := syscall.Syscall(number, uintptr(unsafe.Pointer(at)), memSealable|more, 0)
		if errno == 0 {
			syscall.CloseOnExec(int(fd))
			return int(fd), nil
		}
		err = errno
	}
	return -1, err
}
