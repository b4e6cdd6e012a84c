package explain

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// A story is one decision, as explain shows it: sentences for people, and the record for
// programs.
type story struct {
	Answer string          `json:"answer"` // all of it in one line
	Record json.RawMessage `json:"record"`
	Merge  merged          `json:"merge"`
	Person []string        `json:"person,omitempty"` // what people did about it
	Change []change        `json:"change"`

	summary summary
	now     *present
}

// newStory returns the story of a record.
func newStory(raw []byte, r *record.Record, now *present) *story {
	s := &story{Record: raw, Merge: MergeOf(r), Person: now.persons(r), summary: summarize(r, now), now: now}
	s.Answer = s.summary.String()
	s.Change = changesOf(r, s.Merge.Decision, now)
	return s
}

// otherEffects are the effects that a step asked for beside its decision.
func otherEffects(s *record.Step) []string {
	return slices.DeleteFunc(slices.Clone(s.Effects), func(e string) bool { return e == s.Decision || e == facts && ours(s) })
}

// facts are what a decision of checkrein's own brings with it: the record has them.
const facts = "metadata"

func ours(s *record.Step) bool { return s.Type == "builtin" || s.Type == "rule" }

// merged is the strictest decision of the hooks, and who asked for it.
type merged struct {
	Decision string   `json:"decision"`
	Hooks    []string `json:"hooks,omitempty"`
}

// MergeOf returns which decision won.
func MergeOf(r *record.Record) merged {
	m := merged{Decision: checkrein.NoOpinion.String()}
	for i := range r.Plan {
		s := &r.Plan[i]
		if !records.Decides(s.Decision) {
			continue
		}
		if records.DecisionOf(s.Decision) > records.DecisionOf(m.Decision) {
			m = merged{Decision: s.Decision}
		}
		if s.Decision == m.Decision {
			m.Hooks = append(m.Hooks, s.Hook)
		}
	}
	if len(m.Hooks) == 0 {
		m.Decision = r.Decision // the record does not show whose it is
	}
	return m
}

// lostEffects lists what of the merged verdict the event or the agent cannot do.
func lostEffects(r *record.Record) []string {
	var out []string
	if is := MergeOf(r).Decision; r.Unasked == "" && r.Decision != is {
		out = append(out, fmt.Sprintf("%s became %s", is, r.Decision))
	}
	for _, d := range r.Dropped {
		own := d.Effect == facts && slices.ContainsFunc(r.Plan, func(s record.Step) bool { return s.Hook == d.Hook && ours(&s) })
		if own || r.Unasked != "" && records.Decides(d.Effect) {
			continue
		}
		who := ""
		if d.Hook != "" {
			who = " of " + records.Quoted([]string{d.Hook})
		}
		out = append(out, fmt.Sprintf("%s%s was left out: %s", d.Effect, who, d.Why))
	}
	for _, what := range r.Ignored {
		out = append(out, "ignored: "+what)
	}
	return out
}
