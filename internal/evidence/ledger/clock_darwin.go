package ledger

import (
	"strings"

	"golang.org/x/sys/unix"
)

// readMachineClock returns the time of a clock that cannot be set, and the id of the boot that it
// counts from.
func readMachineClock() (string, int64) {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", 0
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return "", 0
	}
	return strings.ToLower(strings.ReplaceAll(id, "-", "")), ts.Nano()
}
