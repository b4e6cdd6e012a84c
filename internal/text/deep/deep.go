// Package deep makes the first stack as large as any command needs, at once: the
// runtime would double it five times, copying more frames each time, and that is a
// twentieth of a run. It also puts off modules that few calls need. It imports next
// to nothing, so that its turn comes before theirs, and before packages whose own
// start outgrows a new stack.
package deep

import "github.com/checkrein/checkrein/internal/text/later"

func init() {
	room(false)
	later.PutOff()
}

var none int

//go:noinline
func room(use bool) byte {
	if !use { // the frame is made either way; touching it would cost
		return 0
	}
	var stack [56 << 10]byte
	return stack[none]
}
