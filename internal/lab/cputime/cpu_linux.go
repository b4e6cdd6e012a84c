// Package cputime measures processor time, for tests that limit the cost of operations.
package cputime

import (
	"runtime"
	"syscall"
	"time"
)

// Of runs f and returns the processor time of its thread, which other load on the machine hardly
// affects. It returns 0 if that cannot be measured.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	f()
	return threadTime() - began
}

// threadTime returns the processor time of this thread.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	return usageOf(thread)
}

// All returns the processor time of the whole process so far, including garbage collection. It returns
// 0 if that cannot be measured.
func All() time.Duration { return usageOf(syscall.RUSAGE_SELF) }

// usageOf returns the processor time that getrusage reports for who, or 0 if it fails.
func usageOf(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
