// Package sampled shortens long tables of tests, so that `make test` stays a matter of
// minutes. `make test-full` runs every row.
package sampled

import (
	"os"
	"testing"
)

// Full reports whether every row is asked for.
func Full() bool { return os.Getenv("CHECKREIN_FULL") != "" }

// Rows are all rows, or one of n.
func Rows[T any](rows []T, n int) []T {
	if Full() {
		return rows
	}
	var out []T
	for i := 0; i < len(rows); i += n {
		out = append(out, rows[i])
	}
	return out
}

// Count is full when every row is asked for, and few otherwise.
func Count(full, few int) int {
	if Full() {
		return full
	}
	return few
}

// Alone is for tests in which one goroutine does everything, at length. The race
// detector has nothing to see there and makes them ten times as long: `make test` runs
// them without it.
func Alone(t *testing.T) {
	t.Helper()
	if race {
		t.Skip("runs without the race detector: one goroutine does everything")
	}
}
