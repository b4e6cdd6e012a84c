//go:build !windows

package term

import (
	"os"
	"syscall"
	"unsafe"
)

// enableColours prepares a terminal for colours; on this system nothing is needed.
func enableColours(*os.File) bool { return true }

// terminalColumns returns the width of the terminal f, 0 if it is unknown; it reports false if f is
// none. It calls the system directly, because golang.org/x/sys/unix would add work to the start of
// each hook.
func terminalColumns(f *os.File) (int, bool) {
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	return int(size.columns), errno == 0
}
