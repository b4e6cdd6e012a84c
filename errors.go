package checkrein

import (
	"fmt"
	"strconv"
)

// A HookError describes a problem with the declaration of a hook.
type HookError struct {
	Hook   string // the label of the hook; "" = the problem is the file's
	Origin Origin
	Column int // the column in the line, in characters from 1; 0 = unknown
	Err    error
	Remedy string // what to do about it
}

// Error returns the problem as file:line:column: hook "x": problem (remedy), without the parts that
// are unknown.
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

// Place returns file:line, followed by the column if it is known.
func (e *HookError) Place() string {
	if e.Column == 0 || e.Origin.Line == 0 {
		return e.Origin.String()
	}
	return e.Origin.String() + ":" + strconv.Itoa(e.Column)
}

// Unwrap returns e.Err.
func (e *HookError) Unwrap() error { return e.Err }
