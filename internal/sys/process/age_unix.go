//go:build unix

package process

import (
	"syscall"
	"time"
)

// Age returns how long ago this process started, or 0 unless it has already used noticeable CPU time.
// The Go runtime does so before main if GOMAXPROCS is absurdly large.
func Age() time.Duration {
	const much = 50 * time.Millisecond
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil || time.Duration(used.Utime.Nano()+used.Stime.Nano()) < much {
		return 0
	}
	id, err := Self()
	if err != nil {
		return 0
	}
	began, ok := StartTime(id)
	if !ok {
		return 0
	}
	return max(time.Since(began), 0)
}
