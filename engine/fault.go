package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein"
)

// errCanceled marks a hook that was ended because the caller gave up, not
// because of itself.
var errCanceled = errors.New("cancelled by the caller")

// fault is the only place where an error becomes a verdict: by the hook's own
// policy, or else by the event's row.
func fault(h *checkrein.Hook, row *checkrein.Contract, cause error) *checkrein.Verdict {
	text := fmt.Sprintf("hook %q on %s failed: %v", h.Label(), row.Name, cause)
	if h.From.File != "" {
		text += " [" + h.From.String() + "]"
	}
	switch h.OnFault {
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
		return errors.New("the time for all hooks of this event is up")
	}
	return fmt.Errorf("timed out after %s", h.Limit())
}
