package analysis

import (
	"context"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/automaton"
)

// A Property is a requirement on the decisions about some events.
type Property struct {
	Name     string
	On       checkrein.Kind
	Always   bool // the decision is always this one; otherwise it never is
	Decision checkrein.Decision
	If       []byte // the condition on the events, as JSON; nil = all
	From     checkrein.Origin
}

// breaks reports whether d violates the property. A property that calls are always asked about or
// denied also holds for a stricter decision.
func (p *Property) breaks(d checkrein.Decision) bool {
	switch {
	case !p.Always:
		return d == p.Decision
	case p.Decision >= checkrein.Ask:
		return Strictness(d) < Strictness(p.Decision)
	}
	return d != p.Decision
}

// An Answer is whether a property holds.
type Answer struct {
	Result   string // holds, violated or undecided
	Why      string // why it is undecided
	Decision checkrein.Decision
	Hook     *checkrein.Hook // whose decisions are unknown, if that is why
	Witness  *checkrein.Event
}

// The results of [Prove].
const (
	Holds     = "holds"
	Violated  = "violated"
	Undecided = "undecided"
)

// Prove returns whether the property holds for the policy.
func Prove(ctx context.Context, p *Policy, property *Property) (Answer, error) {
	s := newSpace(property.On)
	cond, err := s.compiler.compileCondition(property.If, false)
	if err != nil {
		return Answer{}, err
	}
	rules := s.rules(p)
	unsure := Answer{Result: Holds}
	for d := checkrein.NoOpinion; d <= checkrein.Deny; d++ {
		if !property.breaks(d) {
			continue
		}
		goals := []goal{{cond, true}}
		if d != checkrein.NoOpinion {
			goals = append(goals, goal{anyRule(rules, func(o checkrein.Decision) bool { return o == d }), true})
		}
		stricter := selectRules(rules, func(o checkrein.Decision) bool { return o > d })
		_, _, got := s.solver.solveOutside(stricter, goals...)
		switch got {
		case automaton.Unknown:
			unsure = Answer{Result: Undecided, Why: string(Complex)}
		case automaton.Found:
			var found checkrein.Decision
			confirm := func(ev checkrein.Event) bool {
				found = p.Decide(ctx, ev).Decision
				return property.breaks(found) && p.holdsFor(property, ev)
			}
			ev := s.example(p, confirm, stricter, goals...)
			switch {
			case ev != nil && ev.Tool != nil && len(ev.Tool.Commands()) > 1:
				unsure = Answer{Result: Undecided, Why: "only a call with several commands violates it", Witness: ev}
				continue
			case ev != nil:
				return Answer{Result: Violated, Decision: found, Witness: ev}, nil
			}
			unsure = Answer{Result: Undecided, Why: "the rules may decide " + d.String() + ", but no example was confirmed"}
		}
		if h := s.raiser(p, rules, cond, d); h != nil && unsure.Result == Holds {
			unsure = Answer{Result: Undecided, Why: "what the hook decides is unknown", Hook: h}
		}
	}
	if i := slices.IndexFunc(rules, func(r *rule) bool { return mayRewrite(r.hook) && !r.hook.Implied }); i >= 0 && unsure.Result == Holds {
		unsure = Answer{Result: Undecided, Why: "a hook may rewrite the event before", Hook: rules[i].hook}
	}
	return unsure, nil
}

// raiser returns a hook other than a rule that may decide d about events for which cond holds and the
// rules decide something smaller.
func (s *space) raiser(p *Policy, rules []*rule, cond *expr, d checkrein.Decision) *checkrein.Hook {
	stricter := selectRules(rules, func(o checkrein.Decision) bool { return o >= d })
	for _, r := range rules {
		if r.isRule || d == checkrein.NoOpinion || !slices.Contains(p.Raises(r.hook), d) {
			continue
		}
		if _, _, got := s.solver.solveOutside(stricter, goal{cond, true}, goal{r.cond, true}); got != automaton.None {
			return r.hook
		}
	}
	return nil
}

// holdsFor reports whether the condition of the property holds for ev.
func (p *Policy) holdsFor(property *Property, ev checkrein.Event) bool {
	return p.applies(&checkrein.Hook{On: property.On, If: property.If}, ev)
}
