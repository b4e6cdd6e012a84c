// Package thin shortens long tables of tests, so that `make test` stays a matter of
// minutes. `make test-full` runs every row.
package thin

import "os"

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
