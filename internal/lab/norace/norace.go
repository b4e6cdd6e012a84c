// Package norace keeps tests away from the race detector that it cannot help.
package norace

import "testing"

// Only skips a test under the race detector. It is for tests in which one goroutine does
// everything, at length: the detector has nothing to see there and makes them ten times as
// long. `make test` runs them without it.
func Only(t *testing.T) {
	t.Helper()
	if race {
		t.Skip("runs without the race detector: one goroutine does everything")
	}
}
