package ledger

import (
	"strings"

	"golang.org/x/sys/unix"
)

// machineClock reads the clock that nobody can set, and which start of the
// machine it counts from.
func machineClock() (string, int64) {
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
