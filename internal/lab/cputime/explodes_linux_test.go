package cputime

import (
	"testing"
	"time"
)

// burn returns a function that uses the processor for the duration d.
func burn(d time.Duration) func() {
	return func() {
		for began := threadTime(); threadTime()-began < d; {
		}
	}
}

func TestExplodes(t *testing.T) {
	const eighth = 4 * time.Millisecond
	if Explodes(burn(5*eighth), burn(40*eighth)) {
		t.Error("linear work explodes")
	}
	if !Explodes(burn(eighth), burn(64*eighth)) {
		t.Error("quadratic work does not explode")
	}
	if Explodes(burn(0), burn(eighth)) {
		t.Error("what takes little time explodes")
	}
}
