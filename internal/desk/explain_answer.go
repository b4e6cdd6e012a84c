package desk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/grant"
	"github.com/checkrein/checkrein/internal/record"
	"github.com/checkrein/checkrein/internal/trust"
)

// answer is the whole story in one line: what was decided about what, by whom, why,
// and what lets it pass.
func answer(r *record.Record, now *present) string {
	parts := []string{outcomeWord(r, now) + "  " + callOf(r)}
	if who := byWhom(r); who != "" {
		parts = append(parts, who)
	}
	if r.Foreign {
		parts = append(parts, "foreign: it did not come from the host of the session")
	}
	if r.Unasked != "" {
		parts = append(parts, "no person was asked: "+r.Unasked)
	}
	if what := next(r, now); what != "" {
		parts = append(parts, what)
	}
	return trust.VisibleLine(strings.Join(parts, " · "))
}

// participle is how a decision is told afterwards.
var participle = map[string]string{"deny": "denied", "ask": "asked", "allow": "allowed"}

func outcomeWord(r *record.Record, now *present) string {
	word := participle[r.Decision]
	switch {
	case word == "" && has(r, changing):
		word = "changed"
	case word == "" && has(r, checkrein.CanHalt):
		word = "stopped"
	case word == "" && has(r, checkrein.CanRedo):
		word = "sent back"
	}
	switch {
	case r.Shadow && word != "":
		mode := "SHADOW"
		if now.pausedAt(r.Time) {
			mode = "PAUSED"
		}
		if r.Decision == "ask" {
			word = "asked about"
		}
		return mode + ": would have been " + word
	case word != "":
		return strings.ToUpper(word)
	case len(lifted(r)) > 0:
		return "ALLOWED BY GRANT " + strings.Join(grantsOf(r), ", ")
	}
	return "NO OPINION"
}

// grantsOf are the grants that lifted something.
func grantsOf(r *record.Record) []string {
	var out []string
	for _, s := range lifted(r) {
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
	if r.Subject != nil && r.Subject.Input != nil {
		call := checkrein.Tool{Name: t.Name, Canonical: t.Canonical, Input: r.Subject.Input.JSON}
		if list := call.Commands(); len(list) > 0 {
			text = list[0]
		} else if paths := call.Paths(); len(paths) > 0 {
			text += " " + paths[0]
		}
	}
	if r.Event != checkrein.PreToolUse.String() {
		text = r.Event + " of " + text
	}
	return cut(oneLine(text), maxCall)
}

// byWhom says who decided and why.
func byWhom(r *record.Record) string {
	if r.Fault != "" {
		return "it could not be judged: " + cut(oneLine(r.Fault), maxWhy)
	}
	var out []string
	m := mergeOf(r)
	for i := range r.Plan {
		s := &r.Plan[i]
		switch {
		case s.Lifted != nil && !decides(m.Decision):
			out = append(out, decidedBy(s, s.Lifted.Reason)+" would have "+participle[s.Lifted.Decision]+" it")
		case decides(m.Decision) && s.Decision == m.Decision:
			out = append(out, decidedBy(s, s.Reason))
		case !decides(m.Decision) && deeds(r, s, m.Decision) != "":
			out = append(out, nameOf(s)+" "+deeds(r, s, m.Decision))
		}
	}
	return strings.Join(out, "; ")
}

// nameOf is what people call the one who decided in a step.
func nameOf(s *record.Step) string {
	if s.Rule != "" {
		return s.Rule
	}
	return s.Hook
}

func decidedBy(s *record.Step, reason string) string {
	why := s.Why
	if why == "" {
		why = reason
	}
	if s.Outcome == "fault" {
		why = "it could not answer: " + s.Fault
	}
	text := nameOf(s)
	if why != "" {
		text += ": " + cut(strings.TrimRight(oneLine(why), "."), maxWhy)
	}
	if others := otherRules(s); len(others) > 0 {
		text += " (also " + strings.Join(others, ", ") + ")"
	}
	return text
}

// otherRules are those by which a step decided beside the one that it names.
func otherRules(s *record.Step) []string {
	return slices.DeleteFunc(slices.Clone(s.Rules), func(rule string) bool { return rule == s.Rule })
}

// next says what lets the call pass, "" = there is nothing to say.
func next(r *record.Record, now *present) string {
	if r.Shadow || decisionOf(r.Decision) < checkrein.Ask {
		return ""
	}
	if why := finally(r); why != "" {
		return why
	}
	if r.Handle == "" || !now.own {
		return ""
	}
	if g := now.given(r.Handle); g != nil {
		return "allowed since: grant " + g.ID + " lets the next one pass (" + reach(g) + ")"
	}
	switch {
	case now.block == nil:
		return "its handle " + r.Handle + " is older than a day: let it happen again to get a new one"
	case r.Decision == checkrein.Ask.String():
		return "ask no more with: " + now.block.Command("--session")
	}
	return "allow with: " + now.block.Command("")
}

// finally says why no grant lifts a decision, "" = one does.
func finally(r *record.Record) string {
	m := mergeOf(r)
	if r.Fault != "" {
		return "no grant lifts it: see checkrein doctor"
	}
	for i := range r.Plan {
		s := &r.Plan[i]
		if s.Decision != m.Decision {
			continue
		}
		switch {
		case s.Scope == checkrein.ScopeManaged.String():
			return "no grant lifts it: it is managed, so ask your administrator"
		case s.Outcome == "fault":
			return "no grant lifts it: mend " + s.Hook
		case s.Final != "":
			return fmt.Sprintf("no grant lifts it: it is checkrein's %s, and a person can do it by hand", s.Final)
		}
	}
	return ""
}

// scopeFor is how far the grant reaches that is proposed for good.
func scopeFor(b *grant.Block) (flag, words string) {
	if b.Root == "" {
		return "--always", "everywhere"
	}
	return "--project", "in " + b.Root
}
