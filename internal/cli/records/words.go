package records

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// RedactedIn returns the step of a record that redacted the value with a marker's id; nil =
// none did. A managed one comes first: no grant lifts it.
func RedactedIn(r *record.Record, id string) (found *record.Step) {
	for i := range r.Plan {
		s := &r.Plan[i]
		if s.Value(id) != nil && (found == nil || s.Scope == checkrein.ScopeManaged.String()) {
			found = s
		}
	}
	return found
}

// MaxShown is how many bytes of a value of a record are shown to people; the
// record itself has more of it.
const MaxShown = 4 << 10

// PartText is a value as people read it: redacted already, and of a long one
// the head and the tail.
func PartText(p *record.Part) string {
	if p == nil {
		return ""
	}
	var text string
	switch {
	case len(p.JSON) > 0:
		text = string(bytes.TrimSpace(p.JSON))
	case p.Text != "":
		text = p.Text
	case p.Head != "" || p.Tail != "":
		left := max(0, p.Bytes-len(p.Head)-len(p.Tail))
		return Clip(p.Head) + fmt.Sprintf("\n[… about %s left out …]\n", base.Amount(left, "byte")) + Clip(p.Tail)
	case p.Bytes == 0:
		return "(empty)"
	default:
		return fmt.Sprintf("(%s, not kept)", base.Amount(p.Bytes, "byte"))
	}
	return Clip(text)
}

// Clip cuts a value that is too long to read, at a character.
func Clip(s string) string {
	if len(s) <= MaxShown {
		return s
	}
	cutAt := MaxShown
	for cutAt > 0 && s[cutAt]&0xC0 == 0x80 {
		cutAt--
	}
	return s[:cutAt] + fmt.Sprintf(" [… %s more: --json shows them]", base.Amount(len(s)-cutAt, "byte"))
}

// Quoted lists names for a sentence.
func Quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = `"` + visible.Line(n) + `"`
	}
	return strings.Join(out, ", ")
}

// FindRecord is find for a command, with what to tell when there is nothing.
func FindRecord(ctx context.Context, env *console.Env, dir, id string) ([]byte, error) {
	if err := CheckBegun(env, dir); err != nil {
		return nil, err
	}
	raw, err := Find(ctx, env, dir, id)
	return raw, base.Failed(err)
}

// LiftedSteps are the steps whose decision a grant took away.
func LiftedSteps(r *record.Record) []*record.Step {
	var out []*record.Step
	for i := range r.Plan {
		if r.Plan[i].Lifted != nil {
			out = append(out, &r.Plan[i])
		}
	}
	return out
}

// DecisionOf reads a record's word for a decision; an unknown one is none.
func DecisionOf(word string) checkrein.Decision {
	d, _ := checkrein.ParseDecision(word)
	return d
}

func Decides(word string) bool { return DecisionOf(word) != checkrein.NoOpinion }
