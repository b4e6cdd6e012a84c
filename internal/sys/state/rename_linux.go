package state

import (
	"runtime"
	"syscall"
	"unsafe"
)

const (
	atCwd          = -100
	renameExchange = 2 // RENAME_EXCHANGE
)

// renameat2Number returns the number of the renameat2 system call, or 0 if it is unknown for this
// architecture.
func renameat2Number() uintptr {
	switch runtime.GOARCH {
	case "amd64":
		return 316
	case "arm64", "riscv64", "loong64":
		return 276
	}
	return 0
}

// renameNoSync is renameFile that does not wait for the disk. On ext4, renaming over a file first
// flushes the new content, while exchanging two names does not.
func renameNoSync(from, to string) error {
	call := renameat2Number()
	var st syscall.Stat_t
	if call == 0 || statPath(to, &st, false) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
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
	if _, _, no := syscall.Syscall6(call, uintptr(at), uintptr(unsafe.Pointer(old)), uintptr(at), uintptr(unsafe.Pointer(name)), renameExchange, 0); no != 0 {
		return renameFile(from, to) // this file system does not support the exchange
	}
	_ = syscall.Unlink(from) // if that fails, removeLeftovers removes it later
	return nil
}
