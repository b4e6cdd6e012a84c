package cputime

import "time"

// Explodes reports whether work on the whole of something costs far more than on an
// eighth of it, a few times over: linear work costs 8 times as much, quadratic work 64
// times. What is done in a moment does not explode. How fast the machine is makes no
// difference, nor that it was busy once.
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
