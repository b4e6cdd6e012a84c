package process

import (
	"math"
	"os"
	"syscall"
)

// ownEntry is what a climb needs to know of this process, without its entry in /proc: to
// read one costs more than all that is asked here. False = the list of processes may be
// another's than the one that our numbers are from. No process counts as younger than
// this; whoever asks looks whether our parent is still the same.
func ownEntry() (entry, bool) {
	if !OwnTable() {
		return entry{}, false
	}
	session, _, errno := syscall.RawSyscall(syscall.SYS_GETSID, 0, 0, 0)
	if errno != 0 {
		return entry{}, false
	}
	return entry{ID: ID{PID: os.Getpid(), Start: math.MaxUint64}, parent: os.Getppid(), session: int(session)}, true
}
