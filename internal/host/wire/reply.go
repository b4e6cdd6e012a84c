package wire

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Reply is the answer of a hook process to its host: what it prints and its exit code.
type Reply struct {
	Stdout, Stderr []byte
	Exit           int
}

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
		honours := c.Host.Honours(c.Native, kind)
		if c.Event != nil && c.Event.Settings != "" {
			honours |= checkrein.CanDeny // which no hook has, and we ourselves need
		}
		switch {
		case v.Decision == checkrein.Deny && isAfter(kind):
			s.Stop = Reason(v)
		case v.Decision == checkrein.Deny && c.Native != "" && honours&checkrein.CanDeny == 0:
			s.Notice = append(s.Notice, "a hook tried to block "+kind.String()+", which "+c.Host.Title+" does not support: "+Reason(v))
			if honours&checkrein.CanAddContext != 0 {
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
			s.Redo = Reason(&checkrein.Verdict{Reason: v.Redo}) + attempt(outs[i].Redo)
		}
		if v.Summary != "" {
			s.Summary = v.Summary
		}
		if v.Halt {
			s.Halt = true
			s.Reason = cmp.Or(s.Reason, v.Reason)
		}
	}
	return s
}

// attempt is the line that counts for the agent how often it was told to go on, on a line of its own:
// so the reason is known again when it comes back as a prompt.
func attempt(r *engine.Redo) string {
	if r == nil {
		return ""
	}
	return "\n(attempt " + strconv.Itoa(r.Attempt) + " of " + strconv.Itoa(r.Limit) + ")"
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
	return "checkrein denied this without giving a reason"
}

// Lines joins what is told to one reader.
func Lines(list []string) string { return strings.Join(list, "\n") }

// Added returns the note that a tool's output has more than it had, so that it
// can be told beside the output instead of replacing it.
func Added(was, is []byte) (note string, ok bool) {
	before, isText := rawjson.Text(was)
	if !isText {
		before = string(was)
	}
	after, _ := rawjson.Text(is)
	note, ok = strings.CutPrefix(after, before+"\n")
	return note, ok && note != "" && before != ""
}
