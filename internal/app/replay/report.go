package replay

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// A Report is what a replay found. It does not depend on the order in which calls were decided.
type Report struct {
	Calls     int
	Unchanged int
	Groups    []Group // those with changes, in the order of Directions
	Lost      []Lost  // the calls that could not be decided again, the most frequent reason first
	Builds    int     // calls whose answer changed and that another build of checkrein had decided
	Skipped   []string
	Damage    []string // how sources were tampered with; then nothing else is reliable
}

// A Group has the changes in one direction.
type Group struct {
	*Direction
	Count int
	Rules []Rule // the most frequent first
}

// A Rule has the changes of one direction that a rule made.
type Rule struct {
	Name     string
	Count    int
	Examples []Example // the earliest
}

// A Lost counts the calls that could not be decided again for a reason.
type Lost struct {
	Reason
	Count   int
	Example string // the ID of a call
}

// An Example is a call whose answer changed.
type Example struct {
	ID      string    `json:"id"` // as checkrein explain takes it, or the place in a file
	Time    time.Time `json:"time,omitzero"`
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session,omitempty"`
	Event   string    `json:"event"`
	Tool    string    `json:"tool,omitempty"`
	Call    string    `json:"call,omitempty"` // redacted
	Was     Answer    `json:"was"`
	Is      Answer    `json:"is"`

	InFile bool `json:"-"` // the ID is a place in a file

	order uint64
}

// Changes returns the number of all changes.
func (r *Report) Changes() (n int) {
	for i := range r.Groups {
		n += r.Groups[i].Count
	}
	return n
}

// LostCount returns how many calls could not be decided again.
func (r *Report) LostCount() (n int) {
	for i := range r.Lost {
		n += r.Lost[i].Count
	}
	return n
}

// A tally counts the results of one worker.
type tally struct {
	examples         int // how many are kept for each rule
	calls, unchanged int
	builds           int
	groups           map[*Direction]map[string]*Rule
	lost             map[Reason]*lostCalls
}

// lostCalls are calls with the same reason.
type lostCalls struct {
	Lost
	order uint64
}

func newTally(examples int) *tally {
	return &tally{examples: examples, groups: map[*Direction]map[string]*Rule{}, lost: map[Reason]*lostCalls{}}
}

// addLost counts a call that could not be decided again.
func (t *tally) addLost(why Reason, id string, order uint64) { t.mergeLost(why, 1, id, order) }

func (t *tally) mergeLost(why Reason, n int, id string, order uint64) {
	l := t.lost[why]
	if l == nil {
		l = &lostCalls{Lost{why, 0, id}, order}
		t.lost[why] = l
	}
	if l.Count += n; order < l.order {
		l.Example, l.order = id, order
	}
}

// addChange counts n changes by the rule name, with examples.
func (t *tally) addChange(d *Direction, name string, n int, list ...Example) {
	if t.groups[d] == nil {
		t.groups[d] = map[string]*Rule{}
	}
	r := t.groups[d][name]
	if r == nil {
		r = &Rule{Name: name}
		t.groups[d][name] = r
	}
	r.Count += n
	for _, e := range list {
		at, _ := slices.BinarySearchFunc(r.Examples, e.order, func(have Example, order uint64) int { return cmp.Compare(have.order, order) })
		if at < t.examples {
			r.Examples = slices.Insert(r.Examples, at, e)
			r.Examples = r.Examples[:min(len(r.Examples), t.examples)]
		}
	}
}

// merge adds the results of another worker.
func (t *tally) merge(o *tally) {
	t.calls, t.unchanged, t.builds = t.calls+o.calls, t.unchanged+o.unchanged, t.builds+o.builds
	for why, l := range o.lost {
		t.mergeLost(why, l.Count, l.Example, l.order)
	}
	for d, rules := range o.groups {
		for name, r := range rules {
			t.addChange(d, name, r.Count, r.Examples...)
		}
	}
}

// report returns the results as a report.
func (t *tally) report() *Report {
	out := &Report{Calls: t.calls, Unchanged: t.unchanged, Builds: t.builds}
	for _, d := range Directions {
		g := Group{Direction: d}
		for _, name := range slices.Sorted(maps.Keys(t.groups[d])) {
			g.Rules = append(g.Rules, *t.groups[d][name])
			g.Count += t.groups[d][name].Count
		}
		slices.SortStableFunc(g.Rules, func(a, b Rule) int { return b.Count - a.Count })
		if g.Count > 0 {
			out.Groups = append(out.Groups, g)
		}
	}
	for _, l := range t.lost {
		out.Lost = append(out.Lost, l.Lost)
	}
	slices.SortFunc(out.Lost, func(a, b Lost) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.String(), b.String()))
	})
	return out
}
