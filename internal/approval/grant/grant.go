// Package grant stores what a person allows after a guard blocked it.
//
// A [Block] is a call that was denied or that needed confirmation, stored for a day under a short
// handle. A [Grant] lifts the decision for calls with the same [Binding], within its scope. Both are
// plain values; a [Store] keeps them in the state directory.
package grant

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// Life is how long a handle is valid, and how long a grant without another limit stays valid unused.
const Life = 24 * time.Hour

// A Scope is the range in which a grant applies.
type Scope string

// The scopes.
const (
	Once    Scope = "once"    // one call
	Session Scope = "session" // the session that was blocked, until it ends
	For     Scope = "for"     // a limited time, in this project
	Project Scope = "project" // this project, until it is revoked
	Always  Scope = "always"  // everywhere, until it is revoked
	File    Scope = "file"    // a grant in a configuration file
)

// A Grant lifts decisions about calls that are like a blocked one.
type Grant struct {
	ID     string    `json:"id"`
	Handle string    `json:"handle,omitempty"` // of the block that it answers
	Scope  Scope     `json:"scope"`
	Lifts  []Decider `json:"lifts"` // the deciders whose decisions it lifts
	Binding
	Shown   string    `json:"shown"` // the call, for people
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session,omitempty"` // together with Host, the only session in which it counts
	Root    string    `json:"root,omitempty"`    // the only project in which it counts; "" means any
	Made    Moment    `json:"made"`
	Until   time.Time `json:"until,omitzero"`
	By      string    `json:"by,omitempty"` // the person who gave it, and where
	Why     string    `json:"why,omitempty"`
	Opens   *Opening  `json:"opens,omitempty"` // set if it opens walls instead of lifting decisions
	Uses    []Use     `json:"uses,omitempty"`  // the latest ones
	Used    int       `json:"used,omitempty"`  // number of uses
}

// A Decider is a hook that denied a call or required confirmation.
type Decider struct {
	Hook     string   `json:"hook"`
	Type     string   `json:"type,omitempty"`
	Scope    string   `json:"scope"`
	File     string   `json:"file,omitempty"`
	Rule     string   `json:"rule,omitempty"`  // as people type it, such as git/push-force
	Rules    []string `json:"rules,omitempty"` // all rules by which it decided, if there are several
	Decision string   `json:"decision,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Also     string   `json:"also,omitempty"` // further reasons, with their rules
	// Final is the reason why no grant can lift the decision; "" means that one can.
	Final string `json:"final,omitempty"`
	// Program is set if a program decided, which may use information that checkrein lacks. Only a
	// grant that names the program lifts its decision.
	Program bool `json:"program,omitempty"`
}

// IsSameHook reports whether d and o are the same hook.
func (d *Decider) IsSameHook(o *Decider) bool {
	return d.Hook == o.Hook && d.Type == o.Type && d.Scope == o.Scope && d.File == o.File
}

// Name returns the name of d for display: the rule, or else the hook.
func (d *Decider) Name() string {
	if d.Rule != "" {
		return d.Rule
	}
	return d.Hook
}

// A Use is one call that a grant allowed.
type Use struct {
	Session string `json:"session,omitempty"` // preceded by its host
	Call    string `json:"call,omitempty"`    // the host's id of the call
	Caller  string `json:"caller,omitempty"`  // the host's process
	Text    string `json:"text"`              // digest of the exact call
	At      Moment `json:"at"`
	// Over is set when the tool has ended. A further request is then about another call.
	Over bool `json:"over,omitempty"`
}

// sameCallWindow is how long repeated requests without an id count as the same call.
const sameCallWindow = 10 * time.Second

// isSameCall reports whether u and o are about one call, since hosts may ask about it before the call
// and again for permission.
func (u *Use) isSameCall(o *Use) bool {
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
	return ok && d <= sameCallWindow
}

// maxUses limits how many uses are stored.
const maxUses = 20

// addUse records u, unless it was recorded before. It returns false if the grant is spent.
func (g *Grant) addUse(u Use) bool {
	if i := slices.IndexFunc(g.Uses, func(have Use) bool { return have.isSameCall(&u) }); i >= 0 {
		if g.Uses[i].Call == "" {
			g.Uses[i].Call = u.Call // a later use with another id is another call
		}
		return true
	}
	if g.IsSpent() {
		return false
	}
	g.Used++
	g.Uses = append(g.Uses, u)
	g.Uses = g.Uses[max(0, len(g.Uses)-maxUses):]
	return true
}

// isUsable reports whether addUse would return true for u.
func (g *Grant) isUsable(u *Use) bool {
	return !g.IsSpent() || slices.ContainsFunc(g.Uses, func(have Use) bool { return have.isSameCall(u) })
}

// IsSpent reports whether g is for one call and has been used.
func (g *Grant) IsSpent() bool { return g.Scope == Once && g.Used > 0 }

// EndReason returns why g is no longer valid, or "" if it is.
func (g *Grant) EndReason(now Moment) string {
	if g.Until.IsZero() {
		return ""
	}
	return g.Made.ExpiryReason(g.Until, now)
}

// appliesTo reports whether g applies to the session and project of c.
func (g *Grant) appliesTo(c *Call) bool {
	if g.Session != "" && (g.Session != c.Session || g.Host != c.Host) {
		return false
	}
	return g.Root == "" || g.Root == c.Root
}

// SetLifts makes g lift the decisions of the named rules and hooks about b or, if there are no rules,
// all but those of programs. It returns an error if one of them cannot be lifted or there are none.
func (g *Grant) SetLifts(b *Block, rules []string) error {
	for _, name := range rules {
		i := slices.IndexFunc(b.By, func(d Decider) bool { return d.UsedRule(name) })
		if i < 0 {
			return fmt.Errorf("%s did not block this call: %s did", visible.EscapeLine(name), strings.Join(DeciderNames(b.By), ", "))
		}
		g.Lifts = append(g.Lifts, b.By[i])
		g.Narrow(&b.By[i], rules...)
	}
	if len(rules) == 0 {
		g.Lifts = slices.DeleteFunc(slices.Clone(b.By), func(d Decider) bool { return d.Program })
	}
	for i := range g.Lifts {
		if why := g.Lifts[i].Final; why != "" {
			return fmt.Errorf("no grant can lift %s: %s", g.Lifts[i].Name(), why)
		}
	}
	if len(g.Lifts) == 0 {
		return fmt.Errorf("a program blocked this call, and it may know something that checkrein does not. To lift its block, name the program: %s", b.AllowCommand(""))
	}
	return nil
}

// DeciderNames returns the names of the deciders in list and of their rules, for display and without
// duplicates.
func DeciderNames(list []Decider) []string {
	var out []string
	for i := range list {
		for _, name := range list[i].DisplayNames() {
			if name = visible.EscapeLine(name); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// lifts reports whether g may lift decisions of d.
func (g *Grant) lifts(d *Decider) bool {
	return d.Final == "" && slices.ContainsFunc(g.Lifts, func(l Decider) bool { return l.IsSameHook(d) })
}
