package analysis

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/automaton"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Policy is a set of hooks, and the engine that decides by them.
type Policy struct {
	Hooks []checkrein.Hook // those that count, in configuration order
	// Decide returns the verdict of the rules and the packs on an event, without running programs.
	Decide func(context.Context, checkrein.Event) checkrein.Verdict
	// Raises returns the decisions that a hook other than a rule may return.
	Raises func(*checkrein.Hook) []checkrein.Decision
	// Commands returns commands with what they do, for examples of effects. It may be nil.
	Commands func() []Command
	Hosts    []string                          // the agents that examples may be of
	Home     string                            // see [match.ViewOf]
	Judge    func(*checkrein.Event) match.Acts // see [match.ViewOf]
}

// applies reports whether the engine would run h for ev.
func (p *Policy) applies(h *checkrein.Hook, ev checkrein.Event) bool {
	cond, err := match.CompileCond(h.If, checkrein.ContractOf(h.On))
	tool, errTool := match.CompileTool(h.Match, h.MatchWords)
	args, errArgs := match.CompileSearch(h.Args + h.Search) // a hook has one of them
	if err != nil || errTool != nil || errArgs != nil || !tool.Match(ev.Tool, "") || !args.IsZero() && (ev.Tool == nil || !args.MatchesJSON(ev.Tool.Input)) {
		return false
	}
	view := match.ViewOf(&ev, p.Home, p.Judge)
	if decision, _ := hookfile.ParseDecision(rawjson.GetText(h.With, "decision")); h.Run == "rule" && decision == checkrein.Allow {
		return cond.SurelyHolds(&view)
	}
	return cond.Holds(&view)
}

// A Command is a shell command with what it does.
type Command struct {
	Text string
	Acts match.Acts
}

// A Status is how sure a finding is.
type Status string

// The statuses.
const (
	Proven    Status = "proven"      // it holds for every event
	Confirmed Status = "confirmed"   // the engine confirmed it on the example
	Possible  Status = "possible"    // no example was confirmed
	Complex   Status = "too complex" // the question reached a limit
)

// A rule is a hook with its formula and, if it is a rule, its decision.
type rule struct {
	hook     *checkrein.Hook
	cond     *expr
	decision checkrein.Decision
	reason   string
	isRule   bool // its decision is known
	more     bool // it does more than decide
}

// A space holds the hooks on events of one kind, of one policy or of two that are compared.
type space struct {
	kind     checkrein.Kind
	compiler *compiler
	solver   *solver
}

func newSpace(kind checkrein.Kind) *space {
	return &space{kind, newCompiler(kind), newSolver()}
}

// rules returns the hooks of p that judge events of the kind, in plan order. It leaves out those that
// cannot decide and those that are wrong, which the loader reports. Hooks on tool calls also judge
// requests for permission, unless they allow.
func (s *space) rules(p *Policy) []*rule {
	var out []*rule
	for i := range p.Hooks {
		h := &p.Hooks[i]
		guest := s.kind == checkrein.PermissionRequest && h.On == checkrein.PreToolUse && !h.Exact
		if h.On != s.kind && !guest || h.Off != "" || h.Broken != "" || h.Async || h.Shadow {
			continue
		}
		r := &rule{hook: h, isRule: h.Run == "rule"}
		if r.isRule {
			r.decision, _ = hookfile.ParseDecision(rawjson.GetText(h.With, "decision"))
			r.reason = rawjson.GetText(h.With, "reason")
			for _, key := range []string{"patch", "context", "notice"} {
				_, has := rawjson.Get(h.With, key)
				r.more = r.more || has
			}
		}
		if guest && r.decision == checkrein.Allow {
			continue
		}
		var err error
		if r.cond, err = s.compiler.compileHook(h, r.decision == checkrein.Allow); err == nil {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b *rule) int { return cmp.Compare(b.hook.Priority, a.hook.Priority) })
	return out
}

// kinds returns the kinds of events that hooks of the policies are on, in the order of the table.
func kinds(policies ...*Policy) []checkrein.Kind {
	var out []checkrein.Kind
	for _, p := range policies {
		for i := range p.Hooks {
			out = append(out, p.Hooks[i].On)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A Finding is a hook that never does anything.
type Finding struct {
	Check  string            `json:"check"` // dead, shadowed or contradiction
	Status Status            `json:"status"`
	Hook   *checkrein.Hook   `json:"-"`
	By     []*checkrein.Hook `json:"-"` // the rules that decide in its place
}

// The checks of [Check].
const (
	Dead          = "dead"
	Shadowed      = "shadowed"
	Contradiction = "contradiction"
)

// Checks lists the names of the checks.
var Checks = []string{Dead, Shadowed, Contradiction}

// Check returns the hooks of p that never matter: dead ones, to which no event of their kind applies,
// and shadowed ones, rules that never change the decision or the first reason, because other rules
// decide at least as strictly whenever they apply. A contradiction is a shadowed rule that applies to
// the same events as another one with another decision.
func Check(ctx context.Context, p *Policy) []Finding {
	var out []Finding
	for _, kind := range kinds(p) {
		s := newSpace(kind)
		rules := s.rules(p)
		for i, r := range rules {
			if ctx.Err() != nil {
				return out
			}
			m, got := s.solver.solve(goal{r.cond, true})
			switch {
			case r.hook.On != kind: // reported with its own kind
			case got == automaton.None:
				out = append(out, Finding{Dead, Proven, r.hook, nil})
			case got == automaton.Unknown:
				out = append(out, Finding{Dead, Complex, r.hook, nil})
			case r.isRule && !r.more && r.decision != checkrein.NoOpinion:
				out = append(out, s.findShadow(rules, i, m)...)
			}
		}
	}
	return out
}

// findShadow returns a finding if other rules decide whenever the rule i applies, as it does to m.
func (s *space) findShadow(rules []*rule, i int, m *model) []Finding {
	r := rules[i]
	var others []*rule
	for j, o := range rules {
		equal := o.decision == r.decision && j < i && (alwaysHasReason(o) || r.reason == "" || r.decision == checkrein.Deny)
		if o.isRule && (o.decision > r.decision || equal) {
			others = append(others, o)
		}
	}
	if !slices.ContainsFunc(others, func(o *rule) bool { return m.eval(o.cond) }) {
		return nil
	}
	_, by, got := s.solver.solveOutside(others, goal{r.cond, true})
	switch got {
	case automaton.Found:
		return nil
	case automaton.Unknown:
		return []Finding{{Shadowed, Complex, r.hook, nil}}
	}
	by = s.fewest(r, by)
	f := Finding{Shadowed, Proven, r.hook, nil}
	for _, o := range by {
		f.By = append(f.By, o.hook)
	}
	if len(by) == 1 && by[0].decision != r.decision {
		if _, got := s.solver.solve(goal{by[0].cond, true}, goal{r.cond, false}); got == automaton.None {
			f.Check = Contradiction
		}
	}
	return []Finding{f}
}

// alwaysHasReason reports whether the reason of r is never empty, as one with fields of the event may be.
func alwaysHasReason(r *rule) bool { return r.reason != "" && !strings.Contains(r.reason, "{{") }

// fewest returns those of by without which r would decide something.
func (s *space) fewest(r *rule, by []*rule) []*rule {
	for i := 0; i < len(by) && len(by) > 1; {
		rest := slices.Delete(slices.Clone(by), i, i+1)
		if _, _, got := s.solver.solveOutside(rest, goal{r.cond, true}); got == automaton.None {
			by = rest
		} else {
			i++
		}
	}
	return by
}
