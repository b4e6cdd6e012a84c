// Package norace skips tests under the race detector that cannot benefit from it.
package norace

import "testing"

// SkipUnderRace skips a test under the race detector. It is for long tests that run in a single
// goroutine: the detector cannot find anything there and makes them ten times slower. `make test` runs
// them without it.
func SkipUnderRace(t *testing.T) {
	t.Helper()
	if race {
		t.Skip("runs only without the race detector: it has a single goroutine")
	}
}
