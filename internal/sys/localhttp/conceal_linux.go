package localhttp

import "syscall"

// Options of prctl: PR_SET_DUMPABLE and PR_SET_CHILD_SUBREAPER.
const (
	prSetDumpable       = 4
	prSetChildSubreaper = 36
)

// ProtectMemory prevents other processes of the user, except root's, from reading the memory of this
// one.
func ProtectMemory() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// AdoptOrphans makes this process the parent of descendants whose own parents have exited. Otherwise a
// process that forks twice would have no visible ancestor, and [Peer.IsBelow] could not find its
// origin.
func AdoptOrphans() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return errno
	}
	return nil
}
