package process

import "syscall"

const (
	sysCloseRange = 436 // the same on all platforms except MIPS, which takes the slow path
	// CLOSE_RANGE_CLOEXEC
	closeRangeOnExec = 1 << 2
)

// closeAllOnExec marks every descriptor except the standard ones as close-on-exec, so that programs do
// not inherit descriptors that the caller of this process left open. Since Linux 5.11 that takes one
// system call.
func closeAllOnExec() {
	if _, _, errno := syscall.RawSyscall(sysCloseRange, 3, uintptr(^uint32(0)), closeRangeOnExec); errno != 0 {
		closeEachOnExec("/proc/self/fd")
	}
}
