//go:build !linux

// Package cputime measures processor time, for tests that limit the cost of operations.
package cputime

import "time"

// Of runs f. It returns 0, because processor time is only measured on Linux.
func Of(f func()) time.Duration {
	f()
	return 0
}

// All returns 0, because processor time is only measured on Linux.
func All() time.Duration { return 0 }
