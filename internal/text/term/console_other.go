//go:build !windows

package term

import (
	"os"
	"syscall"
	"unsafe"
)

// enableColours does nothing and reports true, because terminals on this system show colours without
// preparation.
func enableColours(*os.File) bool { return true }

// terminalColumns returns the width of the terminal f, or 0 if it is unknown. It reports false if f is
// not a terminal. It calls the system directly, because golang.org/x/sys/unix would slow down the
// start of every hook.
func terminalColumns(f *os.File) (width int, ok bool) {
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	return int(size.columns), errno == 0
}
