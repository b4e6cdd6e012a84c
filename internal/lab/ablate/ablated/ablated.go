// Package ablated is what functions ask in a build of command ablate -sweep whether they
// are switched off.
package ablated

import "sync/atomic"

var (
	off     atomic.Int64
	entered []atomic.Bool
)

// Prepare makes room for a number of functions, of which none is switched off.
func Prepare(functions int) {
	entered = make([]atomic.Bool, functions)
	off.Store(-1)
}

// SwitchOff switches one function off, and the one before on again; -1 is none.
func SwitchOff(function int) { off.Store(int64(function)) }

// EnterOff notes that a function was entered and reports whether it is switched off.
func EnterOff(function int) bool {
	if function < len(entered) {
		entered[function].Store(true)
	}
	return off.Load() == int64(function) && entered != nil
}

// TakeEntered returns the functions that were entered since the last call.
func TakeEntered() []int {
	var out []int
	for i := range entered {
		if entered[i].Swap(false) {
			out = append(out, i)
		}
	}
	return out
}
