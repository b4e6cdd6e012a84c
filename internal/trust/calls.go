package trust

import (
	"github.com/checkrein/checkrein"
)

// A Call is a program that a command hook starts, and the first word that it gives
// it.
type Call struct {
	Program, First string

	soft bool // perhaps it is no call
}

// Calls returns what a command hook surely starts, as far as its text tells: also
// behind wrappers such as env and timeout, and in the text that a shell is given.
func Calls(h *checkrein.Hook) []Call {
	if h.Run != "command" || folderOf(h) != "" {
		return nil
	}
	w, _ := walked("", h) // what was seen before it gave up counts
	if w == nil {
		return nil
	}
	var out []Call
	for _, c := range w.calls {
		if !c.soft {
			out = append(out, c)
		}
	}
	return out
}
