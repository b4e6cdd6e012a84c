package localhttp

import "syscall"

// prSetDumpable is PR_SET_DUMPABLE of the system's headers.
const (
	prSetDumpable       = 4
	prSetChildSubreaper = 36
)

// Conceal keeps other processes of the user from reading this one's memory, as far as
// the system does that: root may still.
func Conceal() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// Adopt keeps processes below this one that the ones it starts leave behind: otherwise
// who forks twice is nobody's child, and [Peer.Below] cannot tell where it came from.
func Adopt() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return errno
	}
	return nil
}
