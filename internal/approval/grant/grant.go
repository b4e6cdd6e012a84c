// Package grant is what a person lets pass after a guard said no.
//
// A [Block] is a call that was denied or asked about, kept for a day under a short
// handle. A [Grant] lifts the decision about calls that do the same, for as long as
// its scope says. What "the same" is says [Binding]. Both are plain values; [Store]
// keeps them in the state directory.
package grant

import (
	"slices"
	"strings"
	"time"
)

// Life is how long a block can be named by its handle, and how long what has no
// other end counts unused.
const Life = 24 * time.Hour

// A Scope is how far a grant reaches.
type Scope string

// The scopes.
const (
	Once    Scope = "once"    // one call
	Session Scope = "session" // the session that was blocked, until it ends
	For     Scope = "for"     // a time, in this project
	Project Scope = "project" // this project, until it is revoked
	Always  Scope = "always"  // everywhere, until it is revoked
	File    Scope = "file"    // a grant that a configuration file holds
)

// A Grant lifts decisions about calls that are like one that was blocked.
type Grant struct {
	ID     string    `json:"id"`
	Handle string    `json:"handle,omitempty"` // of the block that it answers
	Scope  Scope     `json:"scope"`
	Lifts  []Decider `json:"lifts"` // whose decisions
	Binding
	Shown   string    `json:"shown"` // the call, for people
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session,omitempty"` // with Host: the only one that it counts in
	Root    string    `json:"root,omitempty"`    // the only project that it counts in; "" = any
	Made    Moment    `json:"made"`
	Until   time.Time `json:"until,omitzero"`
	By      string    `json:"by,omitempty"` // who gave it, and where
	Why     string    `json:"why,omitempty"`
	Uses    []Use     `json:"uses,omitempty"` // the newest ones
	Used    int       `json:"used,omitempty"` // how often
}

// A Decider is who denied or asked.
type Decider struct {
	Hook     string   `json:"hook"`
	Type     string   `json:"type,omitempty"`
	Scope    string   `json:"scope"`
	File     string   `json:"file,omitempty"`
	Rule     string   `json:"rule,omitempty"`  // as people type it: git/push-force
	Rules    []string `json:"rules,omitempty"` // all by which it decided, where there are several
	Decision string   `json:"decision,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Also     string   `json:"also,omitempty"` // further reasons, with their rules
	// Final is why no grant lifts it, "" = one does.
	Final string `json:"final,omitempty"`
	// Program is set if a program decided, which may know more than checkrein
	// does: only a grant that names it lifts it.
	Program bool `json:"program,omitempty"`
}

// Is reports whether two deciders are the same hook.
func (d *Decider) Is(o *Decider) bool {
	return d.Hook == o.Hook && d.Type == o.Type && d.Scope == o.Scope && d.File == o.File
}

// Name is what people call the decider.
func (d *Decider) Name() string {
	if d.Rule != "" {
		return d.Rule
	}
	return d.Hook
}

// A Use is one call that a grant let pass.
type Use struct {
	Session string `json:"session,omitempty"` // with its host
	Call    string `json:"call,omitempty"`    // the host's id of it
	Caller  string `json:"caller,omitempty"`  // the host's process
	Text    string `json:"text"`              // digest of the call as it was
	At      Moment `json:"at"`
	// Over is set if the tool has ended: who asks then asks for another call.
	Over bool `json:"over,omitempty"`
}

// again is how long a call without an id may be judged again as the same one.
const again = 10 * time.Second

// same reports whether two judgements are about one call: hosts ask before the call
// and once more for permission.
func (u *Use) same(o *Use) bool {
	if u.Over || u.Session != o.Session || u.Text != o.Text {
		return false
	}
	if u.Call != "" && o.Call != "" {
		return u.Call == o.Call && (!strings.HasSuffix(u.Session, "\x00") || u.Caller == o.Caller)
	}
	if u.Caller != o.Caller {
		return false
	}
	d, ok := o.At.since(u.At)
	return ok && d <= again
}

// maxUses bounds the uses that are kept.
const maxUses = 20

// use notes a call; false says that nothing is left to use.
func (g *Grant) use(u Use) bool {
	if i := slices.IndexFunc(g.Uses, func(have Use) bool { return have.same(&u) }); i >= 0 {
		if g.Uses[i].Call == "" {
			g.Uses[i].Call = u.Call // from now on another id is another call
		}
		return true
	}
	if g.Spent() {
		return false
	}
	g.Used++
	g.Uses = append(g.Uses, u)
	g.Uses = g.Uses[max(0, len(g.Uses)-maxUses):]
	return true
}

// usable reports whether use would succeed.
func (g *Grant) usable(u *Use) bool {
	return !g.Spent() || slices.ContainsFunc(g.Uses, func(have Use) bool { return have.same(u) })
}

// Spent reports whether a grant for one call has been used.
func (g *Grant) Spent() bool { return g.Scope == Once && g.Used > 0 }

// Ended returns why a grant does not count any more, "" = it does.
func (g *Grant) Ended(now Moment) string {
	if g.Until.IsZero() {
		return ""
	}
	return g.Made.passed(g.Until, now)
}

// reaches reports whether a grant is about a session and project.
func (g *Grant) reaches(c *Call) bool {
	if g.Session != "" && (g.Session != c.Session || g.Host != c.Host) {
		return false
	}
	return g.Root == "" || g.Root == c.Root
}

// lifts reports whether a grant is about a decider.
func (g *Grant) lifts(d *Decider) bool {
	return d.Final == "" && slices.ContainsFunc(g.Lifts, func(l Decider) bool { return l.Is(d) })
}
