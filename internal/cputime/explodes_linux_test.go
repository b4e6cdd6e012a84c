package cputime

import "testing"

var sink int

func steps(n int) func() {
	return func() {
		for i := range n {
			sink += i & 1
		}
	}
}

func TestExplodes(t *testing.T) {
	const n = 2_500
	if Explodes(steps(8*n*n), steps(64*n*n)) {
		t.Error("linear work explodes")
	}
	if !Explodes(steps(n*n), steps(64*n*n)) {
		t.Error("quadratic work does not explode")
	}
	if Explodes(steps(1), steps(1000)) {
		t.Error("what takes no time explodes")
	}
}
