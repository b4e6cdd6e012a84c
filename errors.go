package checkrein

import (
	"fmt"
)

// A HookError is a problem with one hook's declaration.
type HookError struct {
	Hook   string // its label, "" when the problem is the file's
	Origin Origin
	Err    error
	Remedy string // what to do about it
}

// Error returns file:line: hook "x": problem (remedy).
func (e *HookError) Error() string {
	msg := e.Err.Error()
	if e.Hook != "" {
		msg = fmt.Sprintf("hook %q: %s", e.Hook, msg)
	}
	if e.Origin.File != "" {
		msg = e.Origin.String() + ": " + msg
	}
	if e.Remedy != "" {
		msg += " (" + e.Remedy + ")"
	}
	return msg
}

// Unwrap returns the problem.
func (e *HookError) Unwrap() error { return e.Err }
