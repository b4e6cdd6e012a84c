// Package full marks tests that only `make test-full` runs, so that `make test` stays short.
package full

import (
	"os"
	"testing"
)

// Skip skips a test unless CHECKREIN_FULL is set. It is for long tests whose core shorter ones cover, and
// for those that compare times.
func Skip(t *testing.T) {
	t.Helper()
	if os.Getenv("CHECKREIN_FULL") == "" {
		t.Skip("runs in make test-full only")
	}
}
