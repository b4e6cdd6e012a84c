//go:build !linux && !darwin

package ledger

// machineClock knows nothing here: wall time is all there is.
func machineClock() (string, int64) { return "", 0 }
