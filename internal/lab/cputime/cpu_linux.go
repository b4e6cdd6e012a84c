// Package cputime tells what work costs, for tests of what must stay bounded.
package cputime

import (
	"runtime"
	"syscall"
	"time"
)

// Of runs f and returns the processor time that it took, which other work on
// the machine does not change much. Where that cannot be told it is 0.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := used()
	f()
	return used() - began
}

func used() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	return usedBy(thread)
}

// All is the processor time of the whole process so far, collecting garbage included.
func All() time.Duration { return usedBy(syscall.RUSAGE_SELF) }

func usedBy(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
