package localhttp

import "syscall"

// PR_SET_DUMPABLE and PR_SET_CHILD_SUBREAPER.
const (
	prSetDumpable       = 4
	prSetChildSubreaper = 36
)

// ProtectMemory prevents other processes of the user, but not root, from reading this one's memory, as
// far as the system supports that.
func ProtectMemory() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// AdoptOrphans makes this process the parent of descendants whose own parents have exited: otherwise a
// process that forks twice has no visible ancestor, and [Peer.IsBelow] cannot find where it came from.
func AdoptOrphans() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return errno
	}
	return nil
}
