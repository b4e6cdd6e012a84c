//go:build unix

package process

import (
	"syscall"
	"time"
)

// Age is how long ago this process started, as far as that matters to a program that
// has just begun: 0 unless it has worked for a while already. The runtime of Go does
// so, before any line of ours, when GOMAXPROCS is absurd.
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
	began, ok := Started(id)
	if !ok {
		return 0
	}
	return max(time.Since(began), 0)
}
