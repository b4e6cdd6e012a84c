package cputime

import "time"

// Explodes reports whether whole costs over 32 times as much as eighth, which processes an eighth of
// the same input: linear work costs 8 times as much, quadratic work 64 times. It repeats the
// measurement, so that neither the machine's speed nor a moment of load matters. It reports false if
// whole takes less than 100 ms.
func Explodes(eighth, whole func()) bool {
	var least, most time.Duration
	for i := range 5 {
		took := Of(whole)
		if took < 100*time.Millisecond {
			return false
		}
		if i == 0 || took < least {
			least = took
		}
		most = max(most, Of(eighth))
		if least <= 32*most {
			return false
		}
	}
	return true
}
