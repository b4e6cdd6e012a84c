package process

import (
	"syscall"
	"time"
	"unsafe"
)

// ticks is the number of units of ID.Start per second: USER_HZ, which is 100 on every architecture
// that Go supports.
const ticks = 100

// StartSlack is how much later than StartTime a process may have started.
const StartSlack = time.Second / ticks

// StartTime returns when the process id started, by the current clock and rounded down. It reports
// false if the clock cannot be read.
func StartTime(id ID) (time.Time, bool) {
	const bootTime = 7 // CLOCK_BOOTTIME
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, bootTime, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		return time.Time{}, false
	}
	up := time.Duration(now.Nano()) - time.Duration(id.Start)*(time.Second/ticks)
	return time.Now().Add(-up), true
}
