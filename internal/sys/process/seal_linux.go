package process

import "syscall"

const (
	sysCloseRange = 436 // has this number wherever Go has 64 bits; elsewhere the slow way is taken
	onExec        = 1 << 2
)

// seal marks every descriptor but the standard ones as closed on exec: what our
// caller left open in us is for no program that we start. One call does it since
// Linux 5.11.
func seal() {
	if _, _, errno := syscall.RawSyscall(sysCloseRange, 3, uintptr(^uint32(0)), onExec); errno != 0 {
		sealEach("/proc/self/fd")
	}
}
