package record

import (
	"cmp"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Call returns the tool call of r as recorded, without secrets.
func (r *Record) Call() *checkrein.Tool {
	t := &checkrein.Tool{}
	if r.Tool != nil {
		t.Name, t.Canonical = r.Tool.Name, r.Tool.Canonical
	}
	if r.Subject != nil && r.Subject.Input != nil {
		t.Input = r.Subject.Input.JSON
	}
	return t
}

// CallText returns what the call of r is about, as recorded: its command, its paths, or else its first
// string argument. It returns "" if there is none.
func (r *Record) CallText() string {
	t := r.Call()
	if command := t.Command(); command != "" {
		return command
	}
	if paths := t.Paths(); len(paths) > 0 {
		return strings.Join(paths, " ")
	}
	what := ""
	rawjson.Each(t.Input, func(_ string, val []byte) bool {
		text, ok := rawjson.Text(val)
		what = text
		return !ok || text == ""
	})
	return what
}

// ParseDecision returns the decision that a record calls word. An unknown word is NoOpinion.
func ParseDecision(word string) checkrein.Decision {
	d, _ := hookfile.ParseDecision(word)
	return d
}

// Decides reports whether word, a recorded decision, is allow, ask or deny.
func Decides(word string) bool { return ParseDecision(word) != checkrein.NoOpinion }

// A Merge is the strictest decision of the hooks, and the hooks that made it.
type Merge struct {
	Decision string   `json:"decision"`
	Hooks    []string `json:"hooks,omitempty"`
}

// Merge returns the strictest decision of the hooks in r, and which hooks made it.
func (r *Record) Merge() Merge {
	m := Merge{Decision: checkrein.NoOpinion.String()}
	for i := range r.Plan {
		s := &r.Plan[i]
		if !Decides(s.Decision) {
			continue
		}
		if ParseDecision(s.Decision) > ParseDecision(m.Decision) {
			m = Merge{Decision: s.Decision}
		}
		if s.Decision == m.Decision {
			m.Hooks = append(m.Hooks, s.Hook)
		}
	}
	if len(m.Hooks) == 0 {
		m.Decision = r.Decision // the record does not show which hook decided
	}
	return m
}

// DecidingSteps returns the steps that made the decision in r or, if there was none, those with another
// effect.
func (r *Record) DecidingSteps() []*Step {
	merged := r.Merge().Decision
	var out []*Step
	for i := range r.Plan {
		s := &r.Plan[i]
		if Decides(merged) && s.Decision == merged || !Decides(merged) && (len(s.Effects) > 0 || s.Lifted != nil) {
			out = append(out, s)
		}
	}
	return out
}

// Deciders returns the rules and hooks of the deciding steps.
func (r *Record) Deciders() []string {
	var out []string
	for _, s := range r.DecidingSteps() {
		out = append(out, s.Decider())
	}
	return out
}

// ShortReason returns the reason of s in one short line if it has one, or else in full.
func (s *Step) ShortReason() string { return cmp.Or(s.Why, s.Reason) }
