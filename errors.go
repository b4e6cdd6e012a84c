package checkrein

import (
	"fmt"
	"strconv"
)

// A HookError is a problem with one hook's declaration.
type HookError struct {
	Hook   string // its label, "" when the problem is the file's
	Origin Origin
	Column int // where in the line, in characters from 1; 0 = unknown
	Err    error
	Remedy string // what to do about it
}

// Error returns file:line:column: hook "x": problem (remedy).
func (e *HookError) Error() string {
	msg := e.Err.Error()
	if e.Hook != "" {
		msg = fmt.Sprintf("hook %q: %s", e.Hook, msg)
	}
	if e.Origin.File != "" {
		msg = e.Place() + ": " + msg
	}
	if e.Remedy != "" {
		msg += " (" + e.Remedy + ")"
	}
	return msg
}

// Place returns file:line, with the column where it is known.
func (e *HookError) Place() string {
	if e.Column == 0 || e.Origin.Line == 0 {
		return e.Origin.String()
	}
	return e.Origin.String() + ":" + strconv.Itoa(e.Column)
}

// Unwrap returns the problem.
func (e *HookError) Unwrap() error { return e.Err }
