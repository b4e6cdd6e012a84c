package ledger

import (
	"strings"

	"golang.org/x/sys/unix"
)

// readMachineClock returns the id of the machine's boot and the nanoseconds since then, by a clock
// that cannot be set. It returns "" and 0 if these are unknown.
func readMachineClock() (bootID string, nanoseconds int64) {
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
