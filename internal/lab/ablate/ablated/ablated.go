// Package ablated holds the switches of functions in a build of ablate -sweep.
package ablated

import "sync/atomic"

var (
	off     atomic.Int64
	entered []atomic.Bool
)

// Prepare allocates the switches of a number of functions, with no function switched off.
func Prepare(functions int) {
	entered = make([]atomic.Bool, functions)
	off.Store(-1)
}

// SwitchOff switches one function off and the previous one on again; -1 switches all on.
func SwitchOff(function int) { off.Store(int64(function)) }

// EnterOff records that a function was called and reports whether it is switched off.
func EnterOff(function int) bool {
	if function < len(entered) {
		entered[function].Store(true)
	}
	return off.Load() == int64(function) && entered != nil
}

// TakeEntered returns the functions that were called since the last call of TakeEntered.
func TakeEntered() []int {
	var out []int
	for i := range entered {
		if entered[i].Swap(false) {
			out = append(out, i)
		}
	}
	return out
}
