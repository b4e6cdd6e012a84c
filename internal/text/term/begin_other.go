//go:build !windows

package term

import (
	"os"
	"syscall"
	"unsafe"
)

// begin makes a terminal ready for colours; others need nothing.
func begin(*os.File) bool { return true }

// columns is how wide the terminal is that f is; 0 = unknown, false = it is none. The
// system is asked by hand: golang.org/x/sys/unix has work at the start of each hook.
func columns(f *os.File) (int, bool) {
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	return int(size.columns), errno == 0
}
