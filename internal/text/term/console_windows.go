package term

import (
	"os"
	"syscall"
	"unsafe"
)

// The functions of the console are called directly, because golang.org/x/sys/windows links package
// net, whose initialization would slow down every hook.
var (
	kernel32       = syscall.NewLazyDLL("kernel32.dll")
	setConsoleMode = kernel32.NewProc("SetConsoleMode")
	getBufferInfo  = kernel32.NewProc("GetConsoleScreenBufferInfo")
)

// processesVTCodes is the mode in which a console interprets colour codes.
const processesVTCodes = 0x4

// enableColours makes the console interpret colour codes. It reports false if the console cannot.
func enableColours(f *os.File) bool {
	var mode uint32
	if syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) != nil {
		return false
	}
	ok, _, _ := setConsoleMode.Call(f.Fd(), uintptr(mode|processesVTCodes))
	return ok != 0
}

// A bufferInfo is the system's CONSOLE_SCREEN_BUFFER_INFO.
type bufferInfo struct {
	size, cursor             [2]int16
	attributes               uint16
	left, top, right, bottom int16
	most                     [2]int16
}

// terminalColumns returns the width of the console f, or 0 if it is unknown. It reports false if f is
// not a console.
func terminalColumns(f *os.File) (width int, ok bool) {
	var mode uint32
	if syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) != nil {
		return 0, false
	}
	var info bufferInfo
	if ok, _, _ := getBufferInfo.Call(f.Fd(), uintptr(unsafe.Pointer(&info))); ok == 0 {
		return 0, true
	}
	return int(info.right-info.left) + 1, true
}
