package grant

import (
	"slices"
	"strings"
)

// A Binding is what a grant is about: what a call does or, where that is not known
// in full, the call exactly as it was.
type Binding struct {
	Text  string   `json:"text"`            // digest of the call as it was
	World []string `json:"world,omitempty"` // what the call found: where its paths led, what its scripts said
	Frame string   `json:"frame,omitempty"` // digest of the tool and of the arguments that the deeds do not tell
	Deeds []Deed   `json:"deeds,omitempty"` // all that it loses, changes or sends; none = only the text counts
	Value string   `json:"value,omitempty"` // keyed digest of a value that is left unredacted, as in its marker; then all else is empty
}

// A Deed is one thing that a call does.
type Deed struct {
	Category string   `json:"category"`
	Rule     string   `json:"rule,omitempty"` // as people type it: git/push-force
	Kind     string   `json:"kind"`
	Label    string   `json:"label"`
	Radius   string   `json:"radius"`
	Paths    []string `json:"paths,omitempty"` // absolute, with what lies there: "dir /srv/x"; see [Lies]
	Hosts    []string `json:"hosts,omitempty"`
	On       string   `json:"on,omitempty"`    // what it is about, if neither path nor host
	Words    string   `json:"words,omitempty"` // where they matter beside what is touched
	Dir      string   `json:"dir,omitempty"`   // where, if the paths do not say it
	Aim      string   `json:"aim,omitempty"`   // digest of the settings by which its program finds what it acts on
	Reason   string   `json:"reason"`          // for people
}

// What lies at a path.
const (
	Nothing = "none"
	AFile   = "file"
	ADir    = "dir"
	ATree   = "tree" // a directory, and all that is in it is meant
)

// Lies is a path with what lies there.
func Lies(what, path string) string { return what + " " + path }

// Removes are the words of a deed which takes away what its paths name, and no more.
const Removes = "rm"

// within reports whether a deed is no more than another: the same thing, done to
// the same or less.
func (d *Deed) within(o *Deed) bool {
	return d.Category == o.Category && d.Rule == o.Rule && d.Kind == o.Kind && d.Label == o.Label && d.Radius == o.Radius &&
		d.On == o.On && d.Words == o.Words && d.Dir == o.Dir && d.Aim == o.Aim && subset(d.Paths, o.Paths, d.Words == Removes) && subset(d.Hosts, o.Hosts, false)
}

// subset reports whether all of a are in b; nothing is in something only if that
// is nothing too: a deed without paths may touch any. Where nothing lies any more
// nothing can be taken away.
func subset(a, b []string, gone bool) bool {
	if len(a) == 0 {
		return len(b) == 0
	}
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) && !(gone && isGone(s, b)) })
}

// isGone reports whether a path has nothing left of what a list says lay there.
func isGone(s string, list []string) bool {
	path, ok := strings.CutPrefix(s, Nothing+" ")
	return ok && slices.ContainsFunc(list, func(o string) bool {
		what, at, _ := strings.Cut(o, " ")
		return at == path && (what == AFile || what == ADir || what == ATree)
	})
}

// finds reports whether a call finds the world as a grant has it, or less of it.
func (b *Binding) finds(c *Call) bool {
	return !slices.ContainsFunc(c.World, func(s string) bool { return !slices.Contains(b.World, s) && !isGone(s, b.World) })
}

// A Call is one that is being judged.
type Call struct {
	Binding
	Host    string
	Session string
	Root    string
	ID      string        // the host's, "" = it has none
	Caller  func() string // the host's process, asked for where ids are missing
	Foreign bool          // it is not of the session's host: no grant is used up by it, so that none for one call counts
}

// covers reports whether grants together are about a call, as far as one decider is
// concerned. What packs decide is told by deeds, if they are known; what others go by is
// not, so that the call must be the very same. There is no way from the one to the other:
// the same words whose deeds are other ones, or not known any more, were not granted.
func covers(list []*Grant, d *Decider, c *Call) []*Grant {
	deeds := d.Hook == packs && d.Type == "builtin"
	if deeds && len(c.Deeds) > 0 && !slices.ContainsFunc(d.rules(), c.untold) {
		return within(list, d, c)
	}
	for _, g := range list {
		if !g.same(d, c) || deeds && len(g.Deeds) == 0 != (len(c.Deeds) == 0) {
			continue
		}
		if !deeds || len(c.Deeds) == 0 || len(within([]*Grant{g}, d, c)) > 0 {
			return []*Grant{g}
		}
	}
	return nil
}

// same reports whether a grant is about the very same call.
func (g *Grant) same(d *Decider, c *Call) bool {
	return g.lifts(d) && g.Text == c.Text && g.Text != "" && g.finds(c) && g.knew(d)
}

// within reports which grants together have all deeds of a call; none = they have not.
func within(list []*Grant, d *Decider, c *Call) []*Grant {
	var used []*Grant
	for i := range c.Deeds {
		j := slices.IndexFunc(list, func(g *Grant) bool {
			return g.lifts(d) && g.Frame == c.Frame && slices.ContainsFunc(g.Deeds, func(o Deed) bool { return c.Deeds[i].within(&o) })
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

// knew reports whether a decider goes by nothing but what it went by when the grant
// was given: a rule that came later was not granted.
func (g *Grant) knew(d *Decider) bool {
	return slices.ContainsFunc(g.Lifts, func(l Decider) bool {
		return l.Is(d) && !slices.ContainsFunc(d.rules(), func(rule string) bool { return !slices.Contains(l.rules(), rule) })
	})
}

// untold reports whether no deed of a call says what a rule goes by: it is one of a
// person's own.
func (c *Call) untold(rule string) bool {
	return !slices.ContainsFunc(c.Deeds, func(d Deed) bool { return d.Rule == rule })
}

// rules are those by which a decider decided.
func (d *Decider) rules() []string {
	if len(d.Rules) == 0 {
		return []string{d.Rule}
	}
	return d.Rules
}

// Names are what people call those by which a decider decided: its rules, or itself.
func (d *Decider) Names() []string {
	if len(d.Rules) == 0 {
		return []string{d.Name()}
	}
	return d.Rules
}

// packs is the builtin that decides by effects.
const packs = "packs"

// Has reports whether a decider went by a rule, perhaps among others.
func (d *Decider) Has(rule string) bool {
	return d.Rule == rule || d.Hook == rule || slices.Contains(d.Rules, rule)
}

// Narrow keeps of a grant what some rules of a decider went by, and what no rule did.
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
		if l := &g.Lifts[i]; l.Is(d) {
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

// Lets reports whether a grant would let a call pass that was blocked.
func (g *Grant) Lets(b *Block) bool {
	c := Call{Binding: b.Binding, Host: b.Host, Session: b.Session, Root: b.Root}
	if !g.reaches(&c) {
		return false
	}
	return len(b.By) > 0 && !slices.ContainsFunc(b.By, func(d Decider) bool { return len(covers([]*Grant{g}, &d, &c)) == 0 })
}
