package analysis

import (
	"context"
	"reflect"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/automaton"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Direction is how a decision differs from an earlier one.
type Direction string

// The directions.
const (
	Weaker   Direction = "weaker"
	Stricter Direction = "stricter"
)

// Strictness returns the rank of d among the decisions about a call. An allow is the weakest, because
// the agent then does not ask its user.
func Strictness(d checkrein.Decision) int {
	return [...]int{checkrein.Allow: 0, checkrein.NoOpinion: 1, checkrein.Ask: 2, checkrein.Deny: 3}[d]
}

// DirectionOf returns the direction of a change from one decision to another one.
func DirectionOf(from, to checkrein.Decision) Direction {
	if Strictness(to) < Strictness(from) {
		return Weaker
	}
	return Stricter
}

// A Class is a set of events on which two policies decide differently.
type Class struct {
	Kind      checkrein.Kind
	Direction Direction
	From, To  checkrein.Decision
	Status    Status
	Hook      *checkrein.Hook // that decides in one of the policies
	InOld     bool            // that is the old one
	Where     string          // the events, in words
	Except    []string        // the labels of rules that decide on some of these events, if Where does not describe those
	Witness   *checkrein.Event
}

// A Comparison holds the differences of two policies.
type Comparison struct {
	Classes []Class
	// Removed and Added list what only one of the policies has: rules that rewrite, and hooks other than
	// rules, whose decisions are unknown.
	Removed, Added []*checkrein.Hook
	// AtLeastAsStrict is set if the new policy decides at least as strictly about every event, as far
	// as rules decide.
	AtLeastAsStrict bool
}

// Compare returns the classes of events about which the rules of the policies before and after decide
// differently, the weaker ones first.
func Compare(ctx context.Context, before, after *Policy) *Comparison {
	out := &Comparison{}
	for _, kind := range kinds(before, after) {
		c := comparer{space: newSpace(kind), before: before, after: after}
		c.old, c.new = c.rules(before), c.rules(after)
		c.classes(ctx)
		out.Classes = append(out.Classes, c.out...)
		out.Removed = append(out.Removed, missingHooks(kind, c.old, c.new)...)
		out.Added = append(out.Added, missingHooks(kind, c.new, c.old)...)
	}
	slices.SortStableFunc(out.Classes, func(a, b Class) int { return rank(&a) - rank(&b) })
	out.AtLeastAsStrict = len(out.Removed) == 0 && !slices.ContainsFunc(out.Classes, func(c Class) bool { return c.Direction == Weaker }) &&
		len(out.Added) == 0
	return out
}

// rank orders classes: weaker before stricter, and surer before less sure.
func rank(c *Class) int {
	out := 2 * slices.Index([]Status{Confirmed, Possible, Complex}, c.Status)
	if c.Direction != Weaker {
		out += 100
	}
	return out
}

// missingHooks returns the hooks on the kind in list that others lacks and whose effect is more than the
// decision of a rule.
func missingHooks(kind checkrein.Kind, list, others []*rule) (out []*checkrein.Hook) {
	for _, r := range list {
		if r.hook.On == kind && (!r.isRule || mayRewrite(r.hook)) && !slices.ContainsFunc(others, func(o *rule) bool { return isSameHook(r.hook, o.hook) }) {
			out = append(out, r.hook)
		}
	}
	return out
}

// isSameHook reports whether g and h are declared equally, apart from names and places.
func isSameHook(g, h *checkrein.Hook) bool {
	a, b := *g, *h
	for _, one := range []*checkrein.Hook{&a, &b} {
		one.ID, one.Name, one.From, one.Also = "", "", checkrein.Origin{}, nil
	}
	return reflect.DeepEqual(a, b)
}

// mayRewrite reports whether h may change what other hooks judge.
func mayRewrite(h *checkrein.Hook) bool {
	if h.Run == "rule" {
		_, patches := rawjson.Get(h.With, "patch")
		return patches
	}
	return h.Rewrites
}

// sameEffect reports whether the rules a and b are declared equally, apart from names, places and texts.
func sameEffect(a, b *rule) bool {
	g, h := a.hook, b.hook
	return g.Run == h.Run && g.Match == h.Match && g.MatchWords == h.MatchWords && g.Args == h.Args && g.Search == h.Search && g.Event == h.Event &&
		string(g.If) == string(h.If) && a.decision == b.decision
}

// A comparer compares the policies about events of one kind.
type comparer struct {
	*space
	before, after *Policy
	old, new      []*rule
	out           []Class
}

// classes adds a class for each rule that only one policy has, and each decision of the other policy
// that is smaller in the order in which decisions are merged. If the policies decide differently about
// an event, the larger decision is that of such a rule.
func (c *comparer) classes(ctx context.Context) {
	for _, side := range []struct {
		mine, others []*rule
		inOld        bool
	}{{c.old, c.new, true}, {c.new, c.old, false}} {
		for _, r := range side.mine {
			if ctx.Err() != nil {
				return
			}
			if !r.isRule || r.decision == checkrein.NoOpinion || slices.ContainsFunc(side.others, func(o *rule) bool { return o.isRule && sameEffect(r, o) }) {
				continue
			}
			for d := checkrein.NoOpinion; d < r.decision; d++ {
				c.class(ctx, r, d, side.inOld)
			}
		}
	}
}

// class adds the class of events about which r decides in one policy, and about which the other policy
// decides other.
func (c *comparer) class(ctx context.Context, r *rule, other checkrein.Decision, inOld bool) {
	mine, theirs := c.new, c.old
	if inOld {
		mine, theirs = theirs, mine
	}
	out := Class{Kind: c.kind, From: other, To: r.decision, Hook: r.hook, InOld: inOld}
	if inOld {
		out.From, out.To = out.To, out.From
	}
	out.Direction = DirectionOf(out.From, out.To)
	goals := []goal{{r.cond, true}}
	if other != checkrein.NoOpinion {
		goals = append(goals, goal{anyRule(theirs, func(d checkrein.Decision) bool { return d == other }), true})
	}
	stricter := selectRules(mine, func(d checkrein.Decision) bool { return d > r.decision })
	stricter = append(stricter, selectRules(theirs, func(d checkrein.Decision) bool { return d > other })...)
	_, used, got := c.solver.solveOutside(stricter, goals...)
	for _, o := range stricter { // the same rule in the other policy shows best what changed
		if o.hook.Label() == r.hook.Label() && !slices.Contains(used, o) && !slices.Contains(mine, o) {
			used = append(used, o)
		}
	}
	out.Where, out.Except = describeOutside(c.kind, r, used)
	switch got {
	case automaton.None:
		return
	case automaton.Unknown:
		out.Status = Complex
	default:
		out.Status = Possible
		confirm := func(ev checkrein.Event) bool {
			from, to := c.before.Decide(ctx, ev).Decision, c.after.Decide(ctx, ev).Decision
			if from == to || DirectionOf(from, to) != out.Direction || !c.after.applies(r.hook, ev) {
				return false
			}
			out.From, out.To, out.Status = from, to, Confirmed
			return true
		}
		out.Witness = c.example(c.after, confirm, stricter, goals...)
	}
	c.out = append(c.out, out)
}

// selectRules returns the rules whose decision is one of those that pick accepts.
func selectRules(rules []*rule, pick func(checkrein.Decision) bool) (out []*rule) {
	for _, r := range rules {
		if r.isRule && r.decision != checkrein.NoOpinion && pick(r.decision) {
			out = append(out, r)
		}
	}
	return out
}

// anyRule returns the formula for events to which one of the rules applies whose decision pick accepts.
func anyRule(rules []*rule, pick func(checkrein.Decision) bool) *expr {
	out := &expr{op: isAny}
	for _, r := range selectRules(rules, pick) {
		out.kids = append(out.kids, r.cond)
	}
	return out
}
