package process

import (
	"syscall"
	"time"
	"unsafe"
)

// ticks is how many units of ID.Start a second has: USER_HZ, which is 100 on
// every architecture that Go knows.
const ticks = 100

// Slack is how much later than Started says a process may have started.
const Slack = time.Second / ticks

// Started is when a process started, by today's clock, rounded down.
func Started(id ID) (time.Time, bool) {
	const bootTime = 7 // CLOCK_BOOTTIME
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, bootTime, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		return time.Time{}, false
	}
	up := time.Duration(now.Nano()) - time.Duration(id.Start)*(time.Second/ticks)
	return time.Now().Add(-up), true
}
