// Package deep makes the first stack as large as any command needs, at once: the
// runtime would double it five times, copying more frames each time, and that is a
// twentieth of a run. It imports nothing, so that its turn comes before packages
// whose own start outgrows a new stack.
package deep

func init() { room(false) }

var none int

//go:noinline
func room(use bool) byte {
	if !use { // the frame is made either way; touching it would cost
		return 0
	}
	var stack [56 << 10]byte
	return stack[none]
}
