//go:build !linux && !darwin

package ledger

// readMachineClock returns zero values: on this system there is only the wall clock.
func readMachineClock() (string, int64) { return "", 0 }
