//go:build !linux && !darwin

package ledger

// readMachineClock returns zero values, since this system has only the wall clock.
func readMachineClock() (bootID string, nanoseconds int64) { return "", 0 }
