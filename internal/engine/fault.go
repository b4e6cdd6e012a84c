package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/checkrein/checkrein"
)

// errCanceled marks a hook that was ended because the caller gave up, not
// because of itself.
var errCanceled = errors.New("canceled by the caller")

// ErrChanged is the fault of a hook that is not what a person approved.
var ErrChanged = errors.New("changed since it was approved")

// policy is what a fault of the step does: what its hook says, but what a handler
// that is closed guards stays closed.
func (s *Step) policy(row *checkrein.Contract) checkrein.FaultPolicy {
	if s.bound.traits.Closed && row.Can(checkrein.CanDeny) && (row.Closed || s.Hook.Gate) {
		return checkrein.FaultBlock
	}
	return s.Hook.OnFault
}

// fault is the only place where an error becomes a verdict: by a policy, mostly the
// hook's own, or else by the event's row.
func fault(h *checkrein.Hook, policy checkrein.FaultPolicy, row *checkrein.Contract, cause error) *checkrein.Verdict {
	text := fmt.Sprintf("hook %q on %s failed: %v", h.Label(), row.Name, cause)
	if h.From.File != "" {
		text += " [" + h.From.String() + "]"
	}
	switch policy {
	case checkrein.FaultIgnore:
		return &checkrein.Verdict{}
	case checkrein.FaultBlock:
		return &checkrein.Verdict{Decision: checkrein.Deny, Reason: text}
	case checkrein.FaultByRow:
		if row.Closed {
			return &checkrein.Verdict{Decision: checkrein.Deny, Reason: text}
		}
	}
	return &checkrein.Verdict{Notice: []string{text}}
}

// timeUp names what ended a hook: its own limit, or the caller.
func timeUp(parent context.Context, h *checkrein.Hook) error {
	switch {
	case errors.Is(parent.Err(), context.Canceled):
		return errCanceled
	case parent.Err() != nil:
		return errors.New("the time limit for all of this event's hooks has passed")
	}
	return timeoutError(h.Limit())
}

// A timeoutError is the limit that a hook exceeded.
type timeoutError time.Duration

func (e timeoutError) Error() string { return "timed out after " + time.Duration(e).String() }

// Timeout reports that the error is a timeout, as errors of package net do.
func (timeoutError) Timeout() bool { return true }
