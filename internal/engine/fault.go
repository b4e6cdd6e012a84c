package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/checkrein/checkrein"
)

// errCanceled is the fault of a hook that was ended because the caller canceled the context.
var errCanceled = errors.New("canceled by the caller")

// ErrChanged is the fault of a hook that differs from what a person approved.
var ErrChanged = errors.New("changed since it was approved")

// faultPolicy returns how a fault of the step is handled. It is the hook's OnFault, except that the
// fault of a closed handler always blocks if the hook is a gate or the row is closed.
func (s *Step) faultPolicy(row *checkrein.Contract) checkrein.FaultPolicy {
	if s.bound.traits.Closed && row.Can(checkrein.CanDeny) && (row.Closed || s.Hook.Gate) {
		return checkrein.FaultBlock
	}
	return s.Hook.OnFault
}

// faultVerdict returns the verdict for a hook that failed with cause: policy decides, or the row if
// policy is FaultByRow. Errors become verdicts only here.
func faultVerdict(h *checkrein.Hook, policy checkrein.FaultPolicy, row *checkrein.Contract, cause error) *checkrein.Verdict {
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

// deadlineError returns why a hook's context ended: the caller canceled parent, parent's deadline
// passed, or the hook exceeded its own limit.
func deadlineError(parent context.Context, h *checkrein.Hook) error {
	switch {
	case errors.Is(parent.Err(), context.Canceled):
		return errCanceled
	case parent.Err() != nil:
		return errors.New("the time limit for all of this event's hooks has passed")
	}
	return timeoutError(h.Limit())
}

// A timeoutError is the time limit that a hook exceeded.
type timeoutError time.Duration

func (e timeoutError) Error() string { return "timed out after " + time.Duration(e).String() }

// Timeout marks the error as a timeout, as in [net.Error].
func (timeoutError) Timeout() bool { return true }
