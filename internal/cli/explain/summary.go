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
	"github.com/checkrein/checkrein/internal/text/visible"
)

// An explanation is what explain prints about one decision: sentences for people, and the record for
// programs.
type explanation struct {
	Answer string          `json:"answer"` // the summary in one line
	Record json.RawMessage `json:"record"`
	Merge  record.Merge    `json:"merge"`
	Person []string        `json:"person,omitempty"` // what people did about the call
	Change []change        `json:"change"`
	Policy *underPolicy    `json:"policy,omitempty"` // what the policy of --policy decides

	summary summary
	now     *currentState
}

// newExplanation returns the explanation of r. raw is its line in the ledger.
func newExplanation(raw []byte, r *record.Record, now *currentState) *explanation {
	s := &explanation{Record: raw, Merge: r.Merge(), Person: now.describeActs(r), summary: summarize(r, now), now: now}
	s.Answer = s.summary.String()
	s.Change = possibleChanges(r, s.Merge.Decision, now)
	return s
}

// otherEffects returns the effects of s other than its decision. It omits the metadata of checkrein's
// own decisions.
func otherEffects(s *record.Step) []string {
	return slices.DeleteFunc(slices.Clone(s.Effects), func(e string) bool { return e == s.Decision || e == metadataEffect && isOwnStep(s) })
}

// metadataEffect is the effect that holds details of a decision. For checkrein's own decisions, the
// record shows these details elsewhere.
const metadataEffect = "metadata"

// isOwnStep reports whether s is the step of a builtin or a rule rather than of a program.
func isOwnStep(s *record.Step) bool { return s.Type == "builtin" || s.Type == "rule" }

// lostEffects returns phrases about the effects of the merged verdict that the event or the agent
// cannot honour.
func lostEffects(r *record.Record) []string {
	var out []string
	if is := r.Merge().Decision; r.Unasked == "" && r.Decision != is {
		out = append(out, fmt.Sprintf("%s became %s", is, r.Decision))
	}
	for _, d := range r.Dropped {
		own := d.Effect == metadataEffect && slices.ContainsFunc(r.Plan, func(s record.Step) bool { return s.Hook == d.Hook && isOwnStep(&s) })
		if own || r.Unasked != "" && record.Decides(d.Effect) {
			continue
		}
		who := ""
		if d.Hook != "" {
			who = " of " + records.QuoteNames([]string{d.Hook})
		}
		out = append(out, fmt.Sprintf("%s%s was left out: %s", d.Effect, who, d.Why))
	}
	for _, what := range r.Ignored {
		out = append(out, "ignored: "+what)
	}
	return out
}

// A summary is the first part of an explanation: what was decided about which call, by which rules,
// why, and what lets the call pass.
type summary struct {
	outcome, call string
	rules         []string // the rules and hooks that decided
	lines         []string // sentences: the reason, and special circumstances
	way           wayOut
}

// summarize returns the summary of r.
func summarize(r *record.Record, now *currentState) summary {
	s := summary{outcome: outcomeText(r, now), call: callOf(r), way: findWayOut(r, now)}
	list := Deciders(r)
	s.rules = deciderNames(list)
	for i := range list {
		s.lines = append(s.lines, list[i].sentence(len(list) > 1))
	}
	if r.Foreign {
		s.lines = append(s.lines, "The event did not come from the session's agent.")
	}
	if r.Unasked != "" {
		s.lines = append(s.lines, toSentence("the user was not asked: "+r.Unasked))
	}
	return s
}

// String returns the summary as one line.
func (s *summary) String() string {
	parts := []string{s.outcome + "  " + s.call}
	if len(s.rules) > 0 {
		parts = append(parts, strings.Join(s.rules, ", "))
	}
	parts = append(parts, s.lines...)
	if s.way.text != "" {
		parts = append(parts, strings.TrimSuffix(s.way.text+": "+s.way.command, ": "))
	}
	return visible.EscapeLine(strings.Join(parts, " · "))
}

// pastParticiples has the past participle of each decision.
var pastParticiples = map[string]string{"deny": "denied", "ask": "asked", "allow": "allowed"}

// decidedText returns what a hook with this decision did to a call, such as "denied it".
func decidedText(decision string) string {
	if decision == checkrein.Ask.String() {
		return "asked about it"
	}
	return pastParticiples[decision] + " it"
}

// outcomeText returns the outcome of r in capital letters, such as DENIED.
func outcomeText(r *record.Record, now *currentState) string {
	word := pastParticiples[r.Decision]
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

// grantsOf returns the ids of the grants that lifted a decision in r.
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
	maxCall = 120 // how many characters of a call the summary shows
	maxWhy  = 200 // how many characters of a reason it shows
)

// callOf returns the call of r in one line, or the name of the event if it has no tool.
func callOf(r *record.Record) string {
	t := r.Tool
	if t == nil {
		if r.Native != "" && r.Event == checkrein.Other.String() {
			return r.Native
		}
		return r.Event
	}
	text := t.Name
	if list := r.Call().Commands(); len(list) > 0 {
		text = list[0]
	} else if paths := r.Call().Paths(); len(paths) > 0 {
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

// A contribution is what one hook contributed to an outcome.
type contribution struct {
	Step *record.Step // nil = the event could not be judged
	Why  string       // the reason, in one line
	then string       // another effect, with a leading space
}

// Deciders returns the contributions of the hooks that decided the outcome of r or, if nothing was
// decided, of those with another effect.
func Deciders(r *record.Record) []contribution {
	if r.Fault != "" {
		return []contribution{{Why: base.Truncate(base.OneLine(r.Fault), maxWhy)}}
	}
	var out []contribution
	m := r.Merge()
	for i := range r.Plan {
		s := &r.Plan[i]
		switch {
		case s.Lifted != nil && !record.Decides(m.Decision):
			out = append(out, contribution{s, stepReason(s, s.Lifted.Reason), " would have " + decidedText(s.Lifted.Decision)})
		case record.Decides(m.Decision) && s.Decision == m.Decision:
			out = append(out, contribution{s, stepReason(s, s.Reason), ""})
		case !record.Decides(m.Decision) && stepEffects(r, s, m.Decision) != "":
			out = append(out, contribution{s, "", " " + stepEffects(r, s, m.Decision)})
		}
	}
	return out
}

// Decides reports whether the hook decided, or would have without a grant, rather than having another
// effect.
func (v *contribution) Decides() bool { return v.Step.Lifted != nil || v.then == "" }

// trimPeriod returns s without a full stop at its end. It keeps a full stop after a space, as in "git
// add .".
func trimPeriod(s string) string {
	if cut := strings.TrimSuffix(s, "."); !strings.HasSuffix(cut, " ") {
		return cut
	}
	return s
}

// stepReason returns why s decided, in one line. It uses reason if the step has no shorter reason.
func stepReason(s *record.Step, reason string) string {
	why := s.Why
	if why == "" {
		why = reason
	}
	if s.Outcome == "fault" {
		why = "it could not answer: " + s.Fault
	}
	return base.Truncate(trimPeriod(base.OneLine(why)), maxWhy)
}

// otherRules returns the rules of s other than s.Rule.
func otherRules(s *record.Step) []string {
	return slices.DeleteFunc(slices.Clone(s.Rules), func(rule string) bool { return rule == s.Rule })
}

// A wayOut is a sentence about what lets a call pass, with the command, or about why nothing does.
type wayOut struct{ text, command string }

// findWayOut returns what lets the call of r pass, or the zero wayOut if nothing was blocked or it is
// unknown.
func findWayOut(r *record.Record, now *currentState) wayOut {
	if r.Shadow || record.ParseDecision(r.Decision) < checkrein.Ask {
		return wayOut{}
	}
	if why := whyFinal(r); why != "" {
		return wayOut{text: toSentence(why)}
	}
	if r.Handle == "" || !now.own {
		return wayOut{}
	}
	if g := now.grantFor(r.Handle); g != nil {
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

// whyFinal returns why no grant can lift the decision of r, or "" if one can.
func whyFinal(r *record.Record) string {
	m := r.Merge()
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
			return "no grant can lift that: it is checkrein's " + finalText(s.Final)
		}
	}
	return ""
}

// finalText returns final, the reason why a decision cannot be lifted, with a note that the user can
// run the command by hand. It omits the note if more than checkrein's files would be lost.
func finalText(final string) string {
	if final == selfprotect.FinalWithin {
		return final
	}
	return final + ", but you can run the command yourself by hand"
}

// widestScope returns the flag for the widest grant that is proposed for b, and where the grant
// applies.
func widestScope(b *grant.Block) (flag, words string) {
	if b.Root == "" {
		return "--always", "everywhere"
	}
	return "--project", "in " + b.Root
}
