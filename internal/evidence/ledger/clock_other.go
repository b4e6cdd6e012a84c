//go:build !linux && !darwin

package ledger

// machineClock is unknown here: wall time is all there is.
func machineClock() (string, int64) { return "", 0 }
