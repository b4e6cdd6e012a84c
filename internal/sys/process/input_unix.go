//go:build unix

package process

import "syscall"

// stdinFileType returns "socket", "pipe", "file", "device" or "other" for standard input, or "none" if
// it is closed.
func stdinFileType() string {
	var st syscall.Stat_t
	if err := syscall.Fstat(0, &st); err != nil {
		return "none"
	}
	switch uint32(st.Mode) & syscall.S_IFMT {
	case syscall.S_IFSOCK:
		return "socket"
	case syscall.S_IFIFO:
		return "pipe"
	case syscall.S_IFREG:
		return "file"
	case syscall.S_IFCHR:
		return "device"
	}
	return "other"
}
