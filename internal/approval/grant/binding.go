package grant

import (
	"slices"
	"strings"
)

// A Binding identifies the calls to which a grant applies: by the effects of the call or, if these are
// not fully known, by the exact call.
type Binding struct {
	Text  string   `json:"text"`            // digest of the exact call
	World []string `json:"world,omitempty"` // what the call found: the targets of its paths, the contents of its scripts
	Frame string   `json:"frame,omitempty"` // digest of the tool and of the arguments that the deeds do not express
	Deeds []Deed   `json:"deeds,omitempty"` // everything that it loses, changes or sends; if empty, only the text counts
	Value string   `json:"value,omitempty"` // keyed digest of a value that is left unredacted, as in its marker; all other fields are then empty
}

// A Deed is one effect of a call.
type Deed struct {
	Category string   `json:"category"`
	Rule     string   `json:"rule,omitempty"` // as people type it, such as git/push-force
	Kind     string   `json:"kind"`
	Label    string   `json:"label"`
	Radius   string   `json:"radius"`
	Paths    []string `json:"paths,omitempty"` // absolute, with the type of file: "dir /srv/x"; see [TypedPath]
	Hosts    []string `json:"hosts,omitempty"`
	On       string   `json:"on,omitempty"`    // its object, if that is neither a path nor a host
	Words    string   `json:"words,omitempty"` // the words of the call, if they matter in addition to its targets
	Dir      string   `json:"dir,omitempty"`   // the directory, if the paths do not show it
	Aim      string   `json:"aim,omitempty"`   // digest of the settings by which the program finds its targets
	Reason   string   `json:"reason"`          // for people
}

// Types of files at a path.
const (
	Nothing = "none"
	AFile   = "file"
	ADir    = "dir"
	ATree   = "tree" // a directory with everything in it
)

// TypedPath returns path preceded by what, the type of file there.
func TypedPath(what, path string) string { return what + " " + path }

// Removes is the value of Words for a deed that only removes what its paths name.
const Removes = "rm"

// isWithin reports whether d is covered by o: it has the same effect, on the same targets or on fewer.
func (d *Deed) isWithin(o *Deed) bool {
	return d.Category == o.Category && d.Rule == o.Rule && d.Kind == o.Kind && d.Label == o.Label && d.Radius == o.Radius &&
		d.On == o.On && d.Words == o.Words && d.Dir == o.Dir && d.Aim == o.Aim && isSubset(d.Paths, o.Paths, d.Words == Removes) && isSubset(d.Hosts, o.Hosts, false)
}

// isSubset reports whether all elements of a are in b. An empty a is a subset only of an empty b,
// since a deed without paths may affect any path. If gone is set, paths in a where nothing exists any
// more count as elements, since nothing can be removed there.
func isSubset(a, b []string, gone bool) bool {
	if len(a) == 0 {
		return len(b) == 0
	}
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) && !(gone && isGone(s, b)) })
}

// isGone reports whether s names a path at which nothing exists any more, but at which list has a file
// or directory.
func isGone(s string, list []string) bool {
	path, ok := strings.CutPrefix(s, Nothing+" ")
	return ok && slices.ContainsFunc(list, func(o string) bool {
		what, at, _ := strings.Cut(o, " ")
		return at == path && (what == AFile || what == ADir || what == ATree)
	})
}

// worldHolds reports whether c finds the same files as the granted call, or fewer of them.
func (b *Binding) worldHolds(c *Call) bool {
	return !slices.ContainsFunc(c.World, func(s string) bool { return !slices.Contains(b.World, s) && !isGone(s, b.World) })
}

// A Call is a call that is being judged.
type Call struct {
	Binding
	Host    string
	Session string
	Root    string
	ID      string        // the host's id of the call; "" means that it has none
	Caller  func() string // returns the host's process; called only if there are grants
	Foreign bool          // it does not come from the session's host, so it cannot use up a grant, and grants for one call do not apply
}

// coveringGrants returns the grants in list that together cover c as far as d is concerned, or nil if
// they do not. For packs, the known deeds decide. Other deciders may depend on more than deeds, so the
// call must be exactly the same. Neither substitutes for the other: the same words with other deeds,
// or with deeds that are no longer known, were not granted.
func coveringGrants(list []*Grant, d *Decider, c *Call) []*Grant {
	deeds := d.Hook == packs && d.Type == "builtin"
	if deeds && len(c.Deeds) > 0 && !slices.ContainsFunc(d.allRules(), c.lacksRule) {
		return grantsForDeeds(list, d, c)
	}
	for _, g := range list {
		if !g.isForExactCall(d, c) || deeds && len(g.Deeds) == 0 != (len(c.Deeds) == 0) {
			continue
		}
		if !deeds || len(c.Deeds) == 0 || len(grantsForDeeds([]*Grant{g}, d, c)) > 0 {
			return []*Grant{g}
		}
	}
	return nil
}

// isForExactCall reports whether g lifts decisions of d about exactly the call c.
func (g *Grant) isForExactCall(d *Decider, c *Call) bool {
	return g.lifts(d) && g.Text == c.Text && g.Text != "" && g.worldHolds(c) && g.includesRules(d)
}

// grantsForDeeds returns the grants in list that lift decisions of d and together cover all deeds of
// c, or nil if one is not covered.
func grantsForDeeds(list []*Grant, d *Decider, c *Call) []*Grant {
	var used []*Grant
	for i := range c.Deeds {
		j := slices.IndexFunc(list, func(g *Grant) bool {
			return g.lifts(d) && g.Frame == c.Frame && slices.ContainsFunc(g.Deeds, func(o Deed) bool { return c.Deeds[i].isWithin(&o) })
		})
		if j < 0 {
			return nil
		}
		if !slices.Contains(used, list[j]) {
			used = append(used, list[j])
		}
	}
	return used
}

// includesRules reports whether d decided only by rules that it used when g was made. Rules that came
// later were not granted.
func (g *Grant) includesRules(d *Decider) bool {
	return slices.ContainsFunc(g.Lifts, func(l Decider) bool {
		return l.IsSameHook(d) && !slices.ContainsFunc(d.allRules(), func(rule string) bool { return !slices.Contains(l.allRules(), rule) })
	})
}

// lacksRule reports whether no deed of c has this rule. That is the case for the user's own rules.
func (c *Call) lacksRule(rule string) bool {
	return !slices.ContainsFunc(c.Deeds, func(d Deed) bool { return d.Rule == rule })
}

// allRules returns the rules by which d decided.
func (d *Decider) allRules() []string {
	if len(d.Rules) == 0 {
		return []string{d.Rule}
	}
	return d.Rules
}

// DisplayNames returns the names of the rules by which d decided or, if there are none, its own name.
func (d *Decider) DisplayNames() []string {
	if len(d.Rules) == 0 {
		return []string{d.Name()}
	}
	return d.Rules
}

// packs is the name of the builtin hook that decides by effects.
const packs = "packs"

// UsedRule reports whether d decided by rule, possibly among others.
func (d *Decider) UsedRule(rule string) bool {
	return d.Rule == rule || d.Hook == rule || slices.Contains(d.Rules, rule)
}

// Narrow restricts g to the named rules of d. Deeds whose rule is not one of d are kept.
func (g *Grant) Narrow(d *Decider, rules ...string) {
	if slices.Contains(rules, d.Hook) {
		return
	}
	all := d.Rules
	named := slices.DeleteFunc(slices.Clone(all), func(rule string) bool { return !slices.Contains(rules, rule) })
	if len(named) == len(all) {
		return
	}
	for i := range g.Lifts {
		if l := &g.Lifts[i]; l.IsSameHook(d) {
			l.Rules = named
			if len(named) > 0 {
				l.Rule = named[0]
			}
		}
	}
	other := func(o Deed) bool { return !slices.Contains(rules, o.Rule) && slices.Contains(all, o.Rule) }
	if slices.ContainsFunc(g.Deeds, other) {
		g.Deeds, g.Text = slices.DeleteFunc(slices.Clone(g.Deeds), other), ""
	}
}

// Allows reports whether g alone would allow the blocked call b.
func (g *Grant) Allows(b *Block) bool {
	c := Call{Binding: b.Binding, Host: b.Host, Session: b.Session, Root: b.Root}
	if !g.appliesTo(&c) {
		return false
	}
	return len(b.By) > 0 && !slices.ContainsFunc(b.By, func(d Decider) bool { return len(coveringGrants([]*Grant{g}, &d, &c)) == 0 })
}
