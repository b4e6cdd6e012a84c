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

// A Reply is the answer of a hook process to its host: its output and exit code.
type Reply struct {
	Stdout, Stderr []byte
	Exit           int
}

// Combined holds the combined outcomes of a call's events.
type Combined struct {
	checkrein.Verdict
	// Stop is the reason of a denial after the tool has run, which ends the run.
	Stop string
}

// Combine combines the outcomes of a call's events, whose verdicts are already clamped. A denial that
// the host does not support becomes a notice, and also context for the model if the host takes that.
func (c *Call) Combine(outs []engine.Outcome) Combined {
	var s Combined
	for i := range outs {
		v, kind := &outs[i].Verdict, outs[i].Event.Kind
		honours := c.Host.Honours(c.Native, kind)
		if c.Event != nil && c.Event.Settings != "" {
			honours |= checkrein.CanDeny // only checkrein itself denies new settings
		}
		switch {
		case v.Decision == checkrein.Deny && endsRun(kind):
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
			s.Redo = Reason(&checkrein.Verdict{Reason: v.Redo}) + attemptLine(outs[i].Redo)
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

// attemptLine returns a line with the number of the attempt, or "" if r is nil. It is a separate line,
// so that checkrein recognizes the reason when the host sends it back as a prompt.
func attemptLine(r *engine.Redo) string {
	if r == nil {
		return ""
	}
	return "\n(attempt " + strconv.Itoa(r.Attempt) + " of " + strconv.Itoa(r.Limit) + ")"
}

// endsRun reports whether a denial on an event of kind k ends the run, because the tool has already
// run.
func endsRun(k checkrein.Kind) bool {
	return k == checkrein.PostToolUse || k == checkrein.PostToolUseFailure
}

// Reason returns the reason of a verdict, or a default sentence if it has none, because hosts ignore a
// denial without a reason.
func Reason(v *checkrein.Verdict) string {
	if s := strings.TrimSpace(v.Reason); s != "" {
		return s
	}
	if s := strings.TrimSpace(v.Redo); s != "" {
		return s
	}
	return "checkrein denied this without giving a reason"
}

// JoinLines joins texts for the same reader with line breaks.
func JoinLines(list []string) string { return strings.Join(list, "\n") }

// AppendedNote returns the text that newOutput adds after oldOutput, so that it can be sent beside the
// output instead of replacing it. It reports false if newOutput is not oldOutput with an added text.
func AppendedNote(oldOutput, newOutput []byte) (note string, ok bool) {
	before, isText := rawjson.Text(oldOutput)
	if !isText {
		before = string(oldOutput)
	}
	after, _ := rawjson.Text(newOutput)
	note, ok = strings.CutPrefix(after, before+"\n")
	return note, ok && note != "" && before != ""
}
