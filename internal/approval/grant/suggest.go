package grant

import (
	"cmp"
	"slices"
)

// Suggestions are the smallest changes that stop repeated blocks that the user does not want. They are
// derived from blocked calls and their outcomes, and are only proposed here, not applied.

// A Case is one blocked call, with how many times it occurred and how it ended.
type Case struct {
	Block  Block  // as it would be blocked now
	Denied int    // how many times it was denied and did not run
	Asked  int    // how many times confirmation was required
	Yes    int    // how many times the person confirmed
	Lifted int    // how many times a grant allowed it
	Wrong  int    // how many times a person called it a false alarm
	Pack   string // the pack of the guard that decided; "" means none
	Key    string // the key of its policy
}

// occurrences returns how many times the case occurred.
func (c *Case) occurrences() int { return c.Denied + c.Asked + c.Lifted }

// hasUnwantedBlock reports whether a person has shown that the block was not wanted.
func (c *Case) hasUnwantedBlock() bool { return c.Yes+c.Lifted+c.Wrong > 0 }

// A Suggestion is one proposed change.
type Suggestion struct {
	Kind string // "grant", for one call in its project, or "pack", for another decision of a pack
	// Cases are the cases that it settles. The first one is the example.
	Cases []*Case
	// Others are blocked calls that it would also allow, although nothing shows that the user wants
	// them.
	Others []*Case
	Pack   string
	Key    string
	To     string // the new decision of a pack
}

// Grant returns the grant that s, a suggestion of kind "grant", proposes.
func (s *Suggestion) Grant() Grant { return newProjectGrant(s.Cases[0]) }

// newProjectGrant returns a grant that allows c in its project, except for decisions of programs.
func newProjectGrant(c *Case) Grant {
	b := &c.Block
	g := Grant{Handle: b.Handle, Scope: Project, Shown: b.Shown, Binding: b.Binding, Root: b.Root}
	g.Lifts = slices.DeleteFunc(slices.Clone(b.By), func(d Decider) bool { return d.Program })
	return g
}

// Counts returns a Case with the summed counts of the cases that s settles.
func (s *Suggestion) Counts() Case {
	var sum Case
	for _, c := range s.Cases {
		sum.Denied += c.Denied
		sum.Asked += c.Asked
		sum.Yes += c.Yes
		sum.Lifted += c.Lifted
		sum.Wrong += c.Wrong
	}
	return sum
}

// minCases is how many times a case, or a pack, must occur to be worth a suggestion.
const minCases = 3

// isAskOnly reports whether all deciders of c only required confirmation. If it was denied
// nevertheless, there was no one to ask.
func (c *Case) isAskOnly() bool {
	return !slices.ContainsFunc(c.Block.By, func(d Decider) bool { return d.Decision != "ask" })
}

// Suggest returns suggestions that would settle the cases, most effective first. left are cases that
// occurred often but get no suggestion, because nothing shows that the denial was unwanted. Denying is
// what guards are for.
func Suggest(cases []*Case) (list []Suggestion, left []*Case) {
	var worth []*Case
	for _, c := range cases {
		switch {
		case !c.Block.IsLiftable() || isDecidedByPrograms(c):
		case c.hasUnwantedBlock(), c.isAskOnly() && c.Denied >= minCases:
			worth = append(worth, c)
		case c.occurrences() >= minCases:
			left = append(left, c)
		}
	}
	slices.SortStableFunc(worth, func(a, b *Case) int { return cmp.Compare(b.occurrences(), a.occurrences()) })
	out := suggestGrants(worth, cases)
	out = append(out, suggestPacks(worth, cases)...)
	slices.SortStableFunc(out, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(suggestionRank(&a), suggestionRank(&b)), cmp.Compare(settledTotal(&b), settledTotal(&a)))
	})
	return out, left
}

// isDecidedByPrograms reports whether all deciders of c are programs.
func isDecidedByPrograms(c *Case) bool {
	return !slices.ContainsFunc(c.Block.By, func(d Decider) bool { return !d.Program })
}

// suggestionRank returns the order of suggestions: grants come before packs.
func suggestionRank(s *Suggestion) int {
	return slices.Index([]string{"grant", "pack"}, s.Kind)
}

// settledTotal returns how many times the cases that s settles occurred.
func settledTotal(s *Suggestion) int {
	sum := s.Counts()
	return sum.occurrences()
}

// suggestGrants returns a grant for each case in worth that no other suggested grant settles. all are
// all cases.
func suggestGrants(worth, all []*Case) []Suggestion {
	var out []Suggestion
	done := map[*Case]bool{}
	for _, c := range worth {
		if done[c] {
			continue
		}
		s := Suggestion{Kind: "grant", Cases: []*Case{c}}
		g := newProjectGrant(c)
		done[c] = true
		for _, o := range all {
			if o == c || !g.Allows(&o.Block) {
				continue
			}
			if o.hasUnwantedBlock() || slices.Contains(worth, o) {
				s.Cases, done[o] = append(s.Cases, o), true
			} else {
				s.Others = append(s.Others, o)
			}
		}
		out = append(out, s)
	}
	return out
}

// suggestPacks returns changes of a pack's decision, each of which settles several cases in worth. all
// are all cases.
func suggestPacks(worth, all []*Case) []Suggestion {
	type group struct{ pack, key, root string }
	groups := map[group][]*Case{}
	var order []group
	for _, c := range worth {
		if c.Pack == "" || len(c.Block.By) != 1 {
			continue
		}
		g := group{c.Pack, c.Key, c.Block.Root}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], c)
	}
	var out []Suggestion
	for _, g := range order {
		list := groups[g]
		if len(list) < minCases {
			continue
		}
		s := Suggestion{Kind: "pack", Cases: list, Pack: g.pack, Key: g.key, To: "ask"}
		if list[0].Block.By[0].Decision == "ask" {
			s.To = "none"
		}
		for _, c := range all {
			if c.Pack == g.pack && c.Key == g.key && !slices.Contains(list, c) {
				s.Others = append(s.Others, c)
			}
		}
		out = append(out, s)
	}
	return out
}
