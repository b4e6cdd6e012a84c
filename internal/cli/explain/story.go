package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/guard/selfprotect"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
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

// A summary is the answer of explain: what was decided about what, by whom, why, and what
// lets it pass.
type summary struct {
	outcome, call string
	rules         []string // by which it was decided
	lines         []string // sentences: why, and what is special about it
	way           wayOut
}

func summarize(r *record.Record, now *present) summary {
	s := summary{outcome: outcomeWord(r, now), call: callOf(r), way: next(r, now)}
	list := Deciders(r)
	s.rules = deciding(list)
	for i := range list {
		s.lines = append(s.lines, list[i].sentence(len(list) > 1))
	}
	if r.Foreign {
		s.lines = append(s.lines, "The event did not come from the session's agent.")
	}
	if r.Unasked != "" {
		s.lines = append(s.lines, sentence("the user was not asked: "+r.Unasked))
	}
	return s
}

// String returns the summary in one line.
func (s *summary) String() string {
	parts := []string{s.outcome + "  " + s.call}
	if len(s.rules) > 0 {
		parts = append(parts, strings.Join(s.rules, ", "))
	}
	parts = append(parts, s.lines...)
	if s.way.text != "" {
		parts = append(parts, strings.TrimSuffix(s.way.text+": "+s.way.command, ": "))
	}
	return visible.Line(strings.Join(parts, " · "))
}

// participle is how a decision is told afterwards.
var participle = map[string]string{"deny": "denied", "ask": "asked", "allow": "allowed"}

// done is a decision about a call, told afterwards.
func done(decision string) string {
	if decision == checkrein.Ask.String() {
		return "asked about it"
	}
	return participle[decision] + " it"
}

func outcomeWord(r *record.Record, now *present) string {
	word := participle[r.Decision]
	switch {
	case word == "" && records.HasEffect(r, records.ChangingEffects):
		word = "changed"
	case word == "" && records.HasEffect(r, checkrein.CanHalt):
		word = "stopped"
	case word == "" && records.HasEffect(r, checkrein.CanRedo):
		word = "sent back"
	}
	switch {
	case r.Shadow && word != "":
		mode := "NOT ENFORCED (shadow mode)"
		if now.pausedAt(r.Time) {
			mode = "NOT ENFORCED (paused)"
		}
		if r.Decision == "ask" {
			word = "asked about"
		}
		return mode + ": would have been " + word
	case word != "":
		return strings.ToUpper(word)
	case len(records.LiftedSteps(r)) > 0:
		return "ALLOWED BY GRANT " + strings.Join(grantsOf(r), ", ")
	}
	return "NOT DECIDED"
}

// grantsOf are the grants that lifted something.
func grantsOf(r *record.Record) []string {
	var out []string
	for _, s := range records.LiftedSteps(r) {
		for _, id := range strings.Split(s.Lifted.Grant, ",") {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

const (
	maxCall = 120 // characters of a call in the answer
	maxWhy  = 200 // and of a reason
)

// callOf is what an event is about, in one line.
func callOf(r *record.Record) string {
	t := r.Tool
	if t == nil {
		if r.Native != "" && r.Event == checkrein.Other.String() {
			return r.Native
		}
		return r.Event
	}
	text := t.Name
	if list := ToolOf(r).Commands(); len(list) > 0 {
		text = list[0]
	} else if paths := ToolOf(r).Paths(); len(paths) > 0 {
		text += " " + paths[0]
	}
	switch r.Event {
	case checkrein.PreToolUse.String():
	case checkrein.ToolResponseTransform.String(), checkrein.PostToolUse.String():
		text = "the result of " + text
	default:
		text = r.Event + " of " + text
	}
	return base.Truncate(base.OneLine(text), maxCall)
}

// ToolOf is the call as the record has it, redacted.
func ToolOf(r *record.Record) *checkrein.Tool {
	t := &checkrein.Tool{}
	if r.Tool != nil {
		t.Name, t.Canonical = r.Tool.Name, r.Tool.Canonical
	}
	if r.Subject != nil && r.Subject.Input != nil {
		t.Input = r.Subject.Input.JSON
	}
	return t
}

// Subject is what a call is about: its command, its path, or else its first text, as
// recorded; "" = it has none.
func Subject(r *record.Record) string {
	t := ToolOf(r)
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

// A voice is one who had a part in what was decided.
type voice struct {
	Step *record.Step // nil: the event could not be judged
	Why  string       // in one line
	then string       // what else there is to say of it, which begins with a space
}

// Deciders are who decided and why; when nothing was decided, who did anything else.
func Deciders(r *record.Record) []voice {
	if r.Fault != "" {
		return []voice{{Why: base.Truncate(base.OneLine(r.Fault), maxWhy)}}
	}
	var out []voice
	m := MergeOf(r)
	for i := range r.Plan {
		s := &r.Plan[i]
		switch {
		case s.Lifted != nil && !records.Decides(m.Decision):
			out = append(out, voice{s, whyIn(s, s.Lifted.Reason), " would have " + done(s.Lifted.Decision)})
		case records.Decides(m.Decision) && s.Decision == m.Decision:
			out = append(out, voice{s, whyIn(s, s.Reason), ""})
		case !records.Decides(m.Decision) && deeds(r, s, m.Decision) != "":
			out = append(out, voice{s, "", " " + deeds(r, s, m.Decision)})
		}
	}
	return out
}

// Decides reports whether a hook decided, or would have, and did not do something else.
func (v *voice) Decides() bool { return v.Step.Lifted != nil || v.then == "" }

// StepName is what people call the one who decided in a step.
func StepName(s *record.Step) string {
	if s.Rule != "" {
		return s.Rule
	}
	return s.Hook
}

// unended is a sentence without its full stop; that of "git add ." is a word.
func unended(s string) string {
	if cut := strings.TrimSuffix(s, "."); !strings.HasSuffix(cut, " ") {
		return cut
	}
	return s
}

// whyIn is why a step decided, in one line.
func whyIn(s *record.Step, reason string) string {
	why := s.Why
	if why == "" {
		why = reason
	}
	if s.Outcome == "fault" {
		why = "it could not answer: " + s.Fault
	}
	return base.Truncate(unended(base.OneLine(why)), maxWhy)
}

// otherRules are those by which a step decided beside the one that it names.
func otherRules(s *record.Step) []string {
	return slices.DeleteFunc(slices.Clone(s.Rules), func(rule string) bool { return rule == s.Rule })
}

// A wayOut is what lets a call pass, or why nothing does.
type wayOut struct{ text, command string }

// next returns what lets the call pass; the zero wayOut has nothing to show.
func next(r *record.Record, now *present) wayOut {
	if r.Shadow || records.DecisionOf(r.Decision) < checkrein.Ask {
		return wayOut{}
	}
	if why := finally(r); why != "" {
		return wayOut{text: sentence(why)}
	}
	if r.Handle == "" || !now.own {
		return wayOut{}
	}
	if g := now.given(r.Handle); g != nil {
		return wayOut{text: "Allowed since then: grant " + g.ID + " lets the next call like this pass (" + GrantScope(g) + ")."}
	}
	switch {
	case now.block == nil:
		return wayOut{text: "The handle " + r.Handle + " is older than a day. To get a new one, let the agent try again."}
	case r.Decision == checkrein.Ask.String():
		return wayOut{"allow it for this session", now.block.AllowCommand("--session")}
	}
	return wayOut{"allow it once", now.block.AllowCommand("")}
}

// finally returns why no grant lifts a decision, "" = one does.
func finally(r *record.Record) string {
	m := MergeOf(r)
	if r.Fault != "" {
		return "no grant can lift that. To see why, run checkrein doctor"
	}
	for i := range r.Plan {
		s := &r.Plan[i]
		if s.Decision != m.Decision {
			continue
		}
		switch {
		case s.Scope == checkrein.ScopeManaged.String():
			return "no grant can lift that: the hook is managed, so ask your administrator"
		case s.Outcome == "fault":
			return "no grant can lift that: the hook failed, so fix the hook " + strconv.Quote(s.Hook)
		case s.Final != "":
			return "no grant can lift that: it is checkrein's " + byHandIf(s.Final)
		}
	}
	return ""
}

// byHandIf adds to what no grant lifts that a person can do it, unless more than
// checkrein itself would be lost.
func byHandIf(final string) string {
	if final == selfprotect.FinalWithin {
		return final
	}
	return final + ", but you can run the command yourself by hand"
}

// scopeFor is how far the grant reaches that is proposed for good.
func scopeFor(b *grant.Block) (flag, words string) {
	if b.Root == "" {
		return "--always", "everywhere"
	}
	return "--project", "in " + b.Root
}
