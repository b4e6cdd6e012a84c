package process

import (
	"math"
	"os"
	"syscall"
)

// ownEntry returns the entry of this process without reading /proc, which would cost more than the
// system calls here. It reports false if /proc may be that of another process namespace. The Start of
// the entry is later than that of any process, so the caller must check that the parent is still the
// same.
func ownEntry() (entry, bool) {
	if !HasOwnTable() {
		return entry{}, false
	}
	session, _, errno := syscall.RawSyscall(syscall.SYS_GETSID, 0, 0, 0)
	if errno != 0 {
		return entry{}, false
	}
	return entry{ID: ID{PID: os.Getpid(), Start: math.MaxUint64}, parent: os.Getppid(), session: int(session)}, true
}
