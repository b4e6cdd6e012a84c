package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// A story is one decision step by step, as explain tells it. Its sentences are
// for people; the record beside them is for programs.
type story struct {
	Answer string          `json:"answer"` // all of it in one line
	Record json.RawMessage `json:"record"`
	Stages []stageStory    `json:"stages"`
	Unmet  []string        `json:"unmet,omitempty"` // hooks whose condition did not hold
	Merge  mergeStory      `json:"merge"`
	Clamp  clampStory      `json:"clamp"`
	Told   toldStory       `json:"told"`
	Person []string        `json:"person,omitempty"` // what people did about it
	Change []change        `json:"change"`

	now *present
}

// A stageStory is the hooks that ran at the same time; stage 0 is those beside
// all stages.
type stageStory struct {
	Stage int         `json:"stage"`
	Hooks []HookStory `json:"hooks"`
}

type HookStory struct {
	Hook    string   `json:"hook"`
	Type    string   `json:"type,omitempty"`
	Scope   string   `json:"scope"`
	Origin  string   `json:"origin"`
	MS      float64  `json:"ms,omitempty"`
	Outcome string   `json:"outcome"`
	Said    []string `json:"said"` // what became of it, in sentences
}

type mergeStory struct {
	Decision string   `json:"decision"`
	Hooks    []string `json:"hooks,omitempty"` // who asked for it
	Why      string   `json:"why"`
	Reasons  []said   `json:"reasons,omitempty"` // of everybody who decided anything
}

type said struct {
	Hook     string `json:"hook"`
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

type clampStory struct {
	Decision string   `json:"decision"` // what is left of the merged one
	Changes  []string `json:"changes"`  // what was dropped, and what was ignored
}

type toldStory struct {
	Reply   *record.Reply `json:"reply,omitempty"`
	Redo    *record.Redo  `json:"redo,omitempty"`
	Notices []string      `json:"notices,omitempty"`
}

// tell makes a record's story.
func tell(raw []byte, r *record.Record, now *present) *story {
	s := &story{Answer: answer(r, now), Record: raw, Stages: stagesOf(r), Unmet: r.Unmet, Merge: MergeOf(r), now: now}
	s.Clamp = ClampOf(r, s.Merge.Decision)
	s.Told = toldStory{Reply: r.Reply, Redo: r.Redo, Notices: r.Notices}
	s.Person = now.persons(r)
	s.Change = changesOf(r, s.Merge.Decision, now)
	return s
}

// stagesOf groups the steps by stage, in plan order; what stands beside all
// stages comes last.
func stagesOf(r *record.Record) []stageStory {
	out := []stageStory{}
	for i := range r.Plan {
		step := &r.Plan[i]
		at := slices.IndexFunc(out, func(s stageStory) bool { return s.Stage == step.Stage })
		if at < 0 {
			at = len(out)
			out = append(out, stageStory{Stage: step.Stage})
		}
		out[at].Hooks = append(out[at].Hooks, HookStory{
			Hook: step.Hook, Type: step.Type, Scope: step.Scope, Origin: step.Origin,
			MS: step.MS, Outcome: step.Outcome, Said: StepSentences(r, step, (&report.Report{}).Unless),
		})
	}
	slices.SortStableFunc(out, func(a, b stageStory) int {
		if (a.Stage == 0) != (b.Stage == 0) {
			return b.Stage - a.Stage
		}
		return a.Stage - b.Stage
	})
	return out
}

// StepSentences say what became of one hook. Because adds its reason to a text.
func StepSentences(r *record.Record, s *record.Step, because func(prefix, reason string) string) []string {
	out := []string{"it " + outcomeOf(s, because)}
	if s.Outcome == "fault" {
		out = append(out, "its failure "+lawOf(r, s))
	}
	if more := otherEffects(s); len(more) > 0 && s.Outcome != "fault" {
		out = append(out, "it asked for: "+strings.Join(more, ", "))
	}
	if s.Spent != nil {
		out = append(out, "it asked the model "+s.Spent.String())
	}
	if s.Runs != "" {
		out = append(out, "digest of the files that it runs: "+s.Runs)
	}
	if s.Rejudged {
		out = append(out, "it ran twice, because the event was rewritten after its first answer: only its second decision counts, but its first messages to the model and the user remain")
	}
	if s.Stale {
		out = append(out, "its answer is about the event as it was before another hook rewrote it")
	}
	return out
}

// outcomeOf is what a hook did, to be read behind its name.
func outcomeOf(s *record.Step, because func(prefix, reason string) string) string {
	switch s.Outcome {
	case "answered":
		switch {
		case !records.Decides(s.Decision):
			return "answered without a decision"
		case s.Reason == "":
			return "answered " + s.Decision + ", without a reason"
		}
		return "answered " + s.Decision + because(": ", s.Reason)
	case "silent":
		return "ran and had no objection"
	case "fault":
		return "could not answer" + because(": ", s.Fault)
	case "skipped", "unapproved":
		return "did not run" + because(": ", s.Skipped)
	case "lifted":
		return "answered " + s.Lifted.Decision + ", which grant " + s.Lifted.Grant + " lifted" + because(": ", s.Lifted.Reason)
	case "passed":
		return "answered ask, because something is unknown, but " + s.Passed.By + " allowed that" + because(": ", s.Passed.Reason)
	case "detached":
		return "ran in the background, so it could not decide"
	}
	return s.Outcome
}

// lawOf is what the failure of a hook that could not answer does by the fault law.
func lawOf(r *record.Record, s *record.Step) string {
	switch {
	case s.Decision == "deny":
		return "blocks here, so it counts as deny"
	case slices.ContainsFunc(r.Notices, func(n string) bool { return s.Fault != "" && strings.Contains(n, s.Fault) }):
		return "does not block here: the event went on, and the user was told"
	}
	return "does not block here: the event went on"
}

// otherEffects are the effects that a step asked for beside its decision.
func otherEffects(s *record.Step) []string {
	return slices.DeleteFunc(slices.Clone(s.Effects), func(e string) bool { return e == s.Decision || e == facts && ours(s) })
}

// facts are what a decision of checkrein's own brings with it: the record has them.
const facts = "metadata"

func ours(s *record.Step) bool { return s.Type == "builtin" || s.Type == "rule" }

// MergeOf says which decision won and why.
func MergeOf(r *record.Record) mergeStory {
	m := mergeStory{Decision: checkrein.NoOpinion.String()}
	for i := range r.Plan {
		s := &r.Plan[i]
		if !records.Decides(s.Decision) {
			continue
		}
		m.Reasons = append(m.Reasons, said{Hook: s.Hook, Decision: s.Decision, Reason: s.Reason})
		if records.DecisionOf(s.Decision) > records.DecisionOf(m.Decision) {
			m.Decision = s.Decision
		}
	}
	for _, each := range m.Reasons {
		if each.Decision == m.Decision {
			m.Hooks = append(m.Hooks, each.Hook)
		}
	}
	if len(m.Reasons) == 0 {
		m.Decision = r.Decision // the record does not say whose it is
	}
	m.Why = whyOf(r, &m)
	return m
}

func whyOf(r *record.Record, m *mergeStory) string {
	switch {
	case r.Fault != "":
		return "checkrein could not evaluate the event at all: " + r.Fault
	case len(m.Reasons) == 0 && records.Decides(r.Decision):
		return "the hook that decided is not listed in the record"
	case len(r.Plan)+len(r.Unmet) == 0:
		return "no hook applies to this event, so the agent decides"
	case len(m.Reasons) == 0 && len(records.LiftedSteps(r)) > 0:
		return "a grant lifted the decision, so the agent decides"
	case len(m.Reasons) == 0:
		return "no hook decided, so the agent decides"
	case len(m.Hooks) == len(m.Reasons) && len(m.Hooks) == 1:
		return records.Quoted(m.Hooks) + " alone decided"
	case len(m.Hooks) == len(m.Reasons):
		return "all hooks that decided agree: " + records.Quoted(m.Hooks)
	}
	var lesser []string
	for _, each := range m.Reasons {
		if each.Decision != m.Decision {
			lesser = append(lesser, each.Decision+" from "+records.Quoted([]string{each.Hook}))
		}
	}
	return fmt.Sprintf("the strictest decision counts: %s from %s wins over %s", m.Decision, records.Quoted(m.Hooks), strings.Join(lesser, ", "))
}

// ClampOf says what of the merged verdict the event or the host cannot do.
func ClampOf(r *record.Record, merged string) clampStory {
	c := clampStory{Decision: r.Decision, Changes: []string{}}
	if r.Decision != merged {
		c.Changes = append(c.Changes, fmt.Sprintf("%s became %s", decisionName(merged), decisionName(r.Decision)))
	}
	if r.Unasked != "" {
		c.Changes = append(c.Changes, "the user was not asked: "+r.Unasked)
	}
	for _, d := range r.Dropped {
		if d.Effect == facts && slices.ContainsFunc(r.Plan, func(s record.Step) bool { return s.Hook == d.Hook && ours(&s) }) {
			continue
		}
		who := ""
		if d.Hook != "" {
			who = " of " + records.Quoted([]string{d.Hook})
		}
		c.Changes = append(c.Changes, fmt.Sprintf("%s%s was left out: %s", d.Effect, who, d.Why))
	}
	for _, what := range r.Ignored {
		c.Changes = append(c.Changes, "ignored: "+what)
	}
	return c
}
