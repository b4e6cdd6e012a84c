package analysis

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/checkrein/checkrein/internal/hook/automaton"
)

// A goal is a formula with the truth value that it must have.
type goal struct {
	*expr
	want bool
}

// A model is a choice of values for which goals hold.
type model struct {
	holds  map[*atom]bool       // the atoms that were chosen
	values map[*field][]element // of the fields that atoms were chosen of
}

// eval returns the truth value of e in m. Atoms that were not chosen are tested on the values.
func (m *model) eval(e *expr) bool {
	switch e.op {
	case isAtom:
		return m.evalAtom(e.atom)
	case isNot:
		return !m.eval(e.kids[0])
	}
	for _, k := range e.kids {
		if m.eval(k) != (e.op == isAll) {
			return e.op == isAny
		}
	}
	return e.op == isAll
}

func (m *model) evalAtom(a *atom) bool {
	if holds, ok := m.holds[a]; ok {
		return holds
	}
	values := m.values[a.field]
	if a.sureTwin != nil && m.holds[a.sureTwin] {
		return true
	}
	if a.exists {
		return len(values) > 0 || a.field.required
	}
	return !a.sure && slices.ContainsFunc(values, func(e element) bool { return a.test(&e) })
}

// Limits of the work for one question and for all questions about one kind of events.
const (
	maxBranches = 2000
	maxRounds   = 300
	maxSteps    = 4 << 20
)

// A solver answers whether formulas can hold together.
type solver struct {
	budget   automaton.Budget
	theory   map[string]fieldAnswer // by the literals on a field
	branches int                    // left for the current question

	backwards bool // try the last alternative first, for another model
	single    bool // calls have one command
}

// A fieldAnswer is what [field.values] returned.
type fieldAnswer struct {
	values []element
	result automaton.Result
}

func newSolver() *solver {
	return &solver{budget: automaton.Budget{Steps: maxSteps}, theory: map[string]fieldAnswer{}}
}

// solve returns a model in which all goals hold.
func (s *solver) solve(goals ...goal) (*model, automaton.Result) {
	s.branches = maxBranches
	return s.search(goals, nil)
}

// search returns a model in which all goals and all literals hold.
func (s *solver) search(goals []goal, lits []literal) (*model, automaton.Result) {
	if s.branches--; s.branches < 0 {
		return nil, automaton.Unknown
	}
	lits, open, ok := expand(goals, slices.Clone(lits))
	if !ok {
		return nil, automaton.None
	}
	m, got := s.check(lits)
	if got == automaton.None {
		return nil, got
	}
	open = slices.DeleteFunc(open, func(g goal) bool { return isDecided(g.expr, lits, g.want) })
	if len(open) == 0 {
		return m, got
	}
	result := got
	if result == automaton.Found {
		result = automaton.None
	}
	slices.SortStableFunc(open, func(a, b goal) int { return len(a.kids) - len(b.kids) })
	first := open[0]
	for i, k := range first.kids {
		if s.backwards {
			k = first.kids[len(first.kids)-1-i]
		}
		rest := append([]goal{{k, first.want}}, open[1:]...)
		m, got := s.search(rest, lits)
		switch got {
		case automaton.Found:
			return m, got
		case automaton.Unknown:
			result = got
		}
	}
	return nil, result
}

// expand turns goals into literals as far as there is no choice, and returns the goals of which one
// kid must be chosen. It reports false if goals contradict each other.
func expand(goals []goal, lits []literal) ([]literal, []goal, bool) {
	var open []goal
	for len(goals) > 0 {
		g := goals[0]
		goals = goals[1:]
		switch {
		case g.op == isNot:
			goals = append(goals, goal{g.kids[0], !g.want})
		case g.op == isAtom:
			i := slices.IndexFunc(lits, func(l literal) bool { return l.atom == g.atom })
			if i < 0 {
				lits = append(lits, literal{g.atom, g.want})
			} else if lits[i].holds != g.want {
				return nil, nil, false
			}
		case (g.op == isAll) == g.want || len(g.kids) == 1:
			for _, k := range g.kids {
				goals = append(goals, goal{k, g.want})
			}
		case len(g.kids) == 0:
			return nil, nil, false
		default:
			open = append(open, g)
		}
	}
	return lits, open, true
}

// isDecided reports whether the literals alone give e the truth value want.
func isDecided(e *expr, lits []literal, want bool) bool {
	switch e.op {
	case isAtom:
		return slices.ContainsFunc(lits, func(l literal) bool { return l.atom == e.atom && l.holds == want })
	case isNot:
		return isDecided(e.kids[0], lits, !want)
	}
	each := func(k *expr) bool { return isDecided(k, lits, want) }
	if (e.op == isAll) == want {
		return !slices.ContainsFunc(e.kids, func(k *expr) bool { return !each(k) })
	}
	return slices.ContainsFunc(e.kids, each)
}

// check returns values of all fields for which the literals hold.
func (s *solver) check(lits []literal) (*model, automaton.Result) {
	m := &model{holds: map[*atom]bool{}, values: map[*field][]element{}}
	byField := map[*field][]literal{}
	var order []*field
	var matcher []literal
	for _, l := range lits {
		m.holds[l.atom] = l.holds
		if byField[l.field] == nil {
			order = append(order, l.field)
		}
		byField[l.field] = append(byField[l.field], l)
		if l.field.name == matcherField {
			matcher = append(matcher, l)
		}
	}
	result := automaton.Found
	for _, f := range order {
		here := byField[f]
		var got fieldAnswer
		if f.name == "tool" || f.name == "tool_name" {
			got = s.toolNames(f, here, matcher)
		} else {
			got = s.fieldValues(f, here)
		}
		switch got.result {
		case automaton.None:
			return nil, automaton.None
		case automaton.Unknown:
			result = got.result
		}
		m.values[f] = got.values
	}
	return m, result
}

// toolNames returns values of f, which is one of the names of a tool: a matcher that accepts none of
// the names does not accept this one. Preferably, one that must accept a name accepts this one.
func (s *solver) toolNames(f *field, lits, matcher []literal) fieldAnswer {
	both := slices.Concat(lits, matcher)
	if got := s.fieldValues(f, both); got.result == automaton.Found {
		return got
	}
	return s.fieldValues(f, slices.DeleteFunc(both, func(l literal) bool { return l.field != f && l.holds }))
}

// fieldValues is [field.values] with a cache.
func (s *solver) fieldValues(f *field, lits []literal) fieldAnswer {
	lits = slices.Clone(lits)
	slices.SortFunc(lits, func(a, b literal) int { return a.id - b.id })
	if f.name == "command" && s.single {
		one := *f
		one.many = false
		f = &one
	}
	key := []byte(fmt.Sprint(f.name, f.many))
	for _, l := range lits {
		id := int64(l.id) + 1
		if !l.holds {
			id = -id
		}
		key = binary.AppendVarint(append(key, 0), id)
	}
	if got, ok := s.theory[string(key)]; ok {
		return got
	}
	values, result := f.values(lits, &s.budget)
	s.theory[string(key)] = fieldAnswer{values, result}
	return fieldAnswer{values, result}
}

// solveOutside is solve for events to which none of rules applies. It adds only those rules to the
// question that apply to the models found so far, and returns them.
func (s *solver) solveOutside(rules []*rule, goals ...goal) (*model, []*rule, automaton.Result) {
	var used []*rule
	for range maxRounds {
		m, got := s.solve(goals...)
		if got != automaton.Found {
			return nil, used, got
		}
		i := slices.IndexFunc(rules, func(r *rule) bool { return m.eval(r.cond) })
		if i < 0 {
			return m, used, got
		}
		used = append(used, rules[i])
		goals = append(goals[:len(goals):len(goals)], goal{rules[i].cond, false})
	}
	return nil, used, automaton.Unknown
}
