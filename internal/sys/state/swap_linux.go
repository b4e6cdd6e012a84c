package state

import (
	"runtime"
	"syscall"
	"unsafe"
)

const (
	atCwd    = -100
	exchange = 2 // RENAME_EXCHANGE
)

// renameAt2 is the number of the system call; 0 = it is not known here.
func renameAt2() uintptr {
	switch runtime.GOARCH {
	case "amd64":
		return 316
	case "arm64", "riscv64", "loong64":
		return 276
	}
	return 0
}

// swapFile is renameFile that does not wait for the disk: a rename over a file writes
// the new one's content out first on ext4, an exchange of names does not.
func swapFile(from, to string) error {
	call := renameAt2()
	var st syscall.Stat_t
	if call == 0 || lookAt(to, &st, false) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return renameFile(from, to)
	}
	old, err := syscall.BytePtrFromString(from)
	if err != nil {
		return renameFile(from, to)
	}
	name, err := syscall.BytePtrFromString(to)
	if err != nil {
		return renameFile(from, to)
	}
	at := atCwd
	if _, _, no := syscall.Syscall6(call, uintptr(at), uintptr(unsafe.Pointer(old)), uintptr(at), uintptr(unsafe.Pointer(name)), exchange, 0); no != 0 {
		return renameFile(from, to) // nor does every file system know it
	}
	_ = syscall.Unlink(from) // else it is a leftover
	return nil
}
