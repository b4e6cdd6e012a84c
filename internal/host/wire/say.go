package wire

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
)

// A Said is what the rows of one call came to together, as wires need it.
type Said struct {
	checkrein.Verdict
	// Stop is the reason of a denial after the fact, which ends the run.
	Stop string
}

// Together joins the outcomes of a call's rows. Each row's verdict is clamped
// already; a denial that the host cannot do is told to everyone who can be told.
func (c *Call) Together(outs []engine.Outcome) Said {
	var s Said
	for i := range outs {
		v, kind := &outs[i].Verdict, outs[i].Event.Kind
		switch {
		case v.Decision == checkrein.Deny && isAfter(kind):
			s.Stop = Reason(v)
		case v.Decision == checkrein.Deny && c.Native != "" && c.Host.Honours(kind)&checkrein.CanDeny == 0:
			s.Notice = append(s.Notice, "a hook wanted to block "+kind.String()+", which "+c.Host.Title+" cannot do: "+Reason(v))
			if c.Host.Honours(kind)&checkrein.CanAddContext != 0 {
				s.Context = append(s.Context, Reason(v))
			}
		case v.Decision > s.Decision:
			s.Decision, s.Reason = v.Decision, v.Reason
		}
		s.Context = append(s.Context, v.Context...)
		for _, n := range v.Notice {
			if !slices.Contains(s.Notice, n) {
				s.Notice = append(s.Notice, n)
			}
		}
		if v.Input != nil {
			s.Input = v.Input
		}
		if v.Output != nil {
			s.Output = v.Output
		}
		if v.Messages != nil {
			s.Messages = v.Messages
		}
		if v.Redo != "" {
			s.Redo = Reason(&checkrein.Verdict{Reason: v.Redo})
		}
		if v.Summary != "" {
			s.Summary = v.Summary
		}
		s.Halt = s.Halt || v.Halt
	}
	return s
}

// isAfter reports whether a denial on a row ends the run, because what it is
// about has happened.
func isAfter(k checkrein.Kind) bool {
	return k == checkrein.PostToolUse || k == checkrein.PostToolUseFailure
}

// Reason is a verdict's reason, or a sentence: hosts drop a denial without one.
func Reason(v *checkrein.Verdict) string {
	if s := strings.TrimSpace(v.Reason); s != "" {
		return s
	}
	if s := strings.TrimSpace(v.Redo); s != "" {
		return s
	}
	return "checkrein denied this and gave no reason"
}

// Lines joins what is told to one reader.
func Lines(list []string) string { return strings.Join(list, "\n") }
