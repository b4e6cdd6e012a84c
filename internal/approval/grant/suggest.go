package grant

import (
	"cmp"
	"slices"
)

// Suggestions are the smallest changes that settle what is blocked again and again
// although the person does not mind. They are made of what was blocked, with what became
// of it; nothing is applied here.

// A Case is one call that was blocked, as often as it was.
type Case struct {
	Block  Block  // as it would be blocked now
	Denied int    // how often it was denied and did not run
	Asked  int    // how often a person was asked
	Yes    int    // how often the person said yes when asked
	Lifted int    // how often a grant let it pass
	Wrong  int    // how often a person called it a false alarm
	Pack   string // of guards that decided; "" = none
	Key    string // of its policy
}

// total is how often the case came up.
func (c *Case) total() int { return c.Denied + c.Asked + c.Lifted }

// unwanted reports whether the person has shown that the block was not wanted.
func (c *Case) unwanted() bool { return c.Yes+c.Lifted+c.Wrong > 0 }

// A Suggestion is one change.
type Suggestion struct {
	Kind string // grant: for one call in its project; pack: another decision of a pack
	// Cases are those that it settles, the first one is the example.
	Cases []*Case
	// Others are blocked calls that it would let pass too although nothing shows
	// that the person does not mind.
	Others []*Case
	Pack   string
	Key    string
	To     string // the decision of a pack
}

// Grant is the grant that a suggestion of that kind means.
func (s *Suggestion) Grant() Grant { return grantFor(s.Cases[0]) }

func grantFor(c *Case) Grant {
	b := &c.Block
	g := Grant{Handle: b.Handle, Scope: Project, Shown: b.Shown, Binding: b.Binding, Root: b.Root}
	g.Lifts = slices.DeleteFunc(slices.Clone(b.By), func(d Decider) bool { return d.Program })
	return g
}

// Counts adds up what became of the cases that a suggestion settles.
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

// few is how many different calls of one rule are worth a grant each.
const few = 3

// mild reports whether all that decided a case would have asked: where no person could
// be asked the person had no chance to say yes.
func (c *Case) mild() bool {
	return !slices.ContainsFunc(c.Block.By, func(d Decider) bool { return d.Decision != "ask" })
}

// Suggest returns what would settle the cases, what settles most first, and those
// that came up often and are left alone: nothing shows that the person does not mind
// a denial, which is what guards are for.
func Suggest(cases []*Case) (list []Suggestion, left []*Case) {
	var worth []*Case
	for _, c := range cases {
		switch {
		case !c.Block.Liftable() || programs(c):
		case c.unwanted(), c.mild() && c.Denied >= few:
			worth = append(worth, c)
		case c.total() >= few:
			left = append(left, c)
		}
	}
	slices.SortStableFunc(worth, func(a, b *Case) int { return cmp.Compare(b.total(), a.total()) })
	out := grants(worth, cases)
	out = append(out, wider(worth, cases)...)
	slices.SortStableFunc(out, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(suggestionRank(&a), suggestionRank(&b)), cmp.Compare(settled(&b), settled(&a)))
	})
	return out, left
}

func programs(c *Case) bool {
	return !slices.ContainsFunc(c.Block.By, func(d Decider) bool { return !d.Program })
}

func suggestionRank(s *Suggestion) int {
	return slices.Index([]string{"grant", "pack"}, s.Kind)
}

func settled(s *Suggestion) int {
	sum := s.Counts()
	return sum.total()
}

// grants suggests a grant for each call that no other grant covers.
func grants(worth, all []*Case) []Suggestion {
	var out []Suggestion
	done := map[*Case]bool{}
	for _, c := range worth {
		if done[c] {
			continue
		}
		s := Suggestion{Kind: "grant", Cases: []*Case{c}}
		g := grantFor(c)
		done[c] = true
		for _, o := range all {
			if o == c || !g.Lets(&o.Block) {
				continue
			}
			if o.unwanted() || slices.Contains(worth, o) {
				s.Cases, done[o] = append(s.Cases, o), true
			} else {
				s.Others = append(s.Others, o)
			}
		}
		out = append(out, s)
	}
	return out
}

// wider suggests one change for many calls: another decision of the pack.
func wider(worth, all []*Case) []Suggestion {
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
		if len(list) < few {
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
