//go:build unix

package process

import (
	"syscall"
	"time"
)

// StartupAge returns how long ago this process started if it has already used noticeable CPU time,
// otherwise 0. The Go runtime uses that much before main if GOMAXPROCS is absurdly large.
func StartupAge() time.Duration {
	const much = 50 * time.Millisecond
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil || time.Duration(used.Utime.Nano()+used.Stime.Nano()) < much {
		return 0
	}
	id, err := SelfID()
	if err != nil {
		return 0
	}
	began, ok := StartTime(id)
	if !ok {
		return 0
	}
	return max(time.Since(began), 0)
}
