package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// decision is what a rule decides, "" when the entry is no rule.
func (e *entry) decision() string {
	if t := e.node.Get("type"); t != nil && t.Text != "rule" {
		return ""
	}
	for _, other := range []string{"command", "url", "model"} {
		if e.node.Get(other) != nil {
			return ""
		}
	}
	return e.node.Get("decision").Plain()
}

// always reports whether an entry's event alone makes it run.
func (e *entry) always() bool {
	m := e.matcher.Plain()
	return (m == "" || m == "*" || m == ".*") && e.node.Get("if").IsNull() && e.node.Get("args_match").IsNull() && e.node.Get("search").IsNull()
}

func (e *entry) condition() string {
	return string(e.node.Get("if").JSON()) + "\x00" + e.matcher.Plain() + "\x00" + e.node.Get("args_match").Plain() + "\x00" + e.node.Get("search").Plain()
}

// adds reports whether a rule says more than its decision.
func (e *entry) adds() bool {
	return !e.node.Get("patch").IsNull() || !e.node.Get("context").IsNull() || !e.node.Get("notice").IsNull()
}

// covered finds rules that never matter, because another one always denies.
func (p *pass) covered() {
	for i := range p.entries {
		a := &p.entries[i]
		if a.decision() != "deny" {
			continue
		}
		for j := range p.entries {
			b := &p.entries[j]
			if i == j || a.row != b.row || b.decision() == "" || b.decision() == "deny" || b.adds() {
				continue
			}
			at := b.node.Get("decision")
			switch {
			case a.always():
				p.at(b, at, fmt.Sprintf("give the hook %q a condition, or remove this rule", a.label), "the hook %q denies every %s, and a deny wins, so this %s never has an effect", a.label, a.row.Name, b.decision())
			case a.condition() == b.condition():
				p.at(b, at, "remove one of the two", "the hook %q denies the same calls, and a deny wins, so this %s never has an effect", a.label, b.decision())
			case p.within(b, a):
				p.at(b, at, "exclude these calls from that rule: if: {…, not: {…}}", "the hook %q also denies these calls, and a deny wins, so this %s never has an effect", a.label, b.decision())
			}
		}
	}
}

// within reports whether one rule's only condition is a narrower form of the other's.
func (p *pass) within(narrow, wide *entry) bool {
	n, w := p.only(narrow), p.only(wide)
	if n == nil || w == nil || n.field != w.field || narrow.matcher.Plain() != wide.matcher.Plain() || n.want.Kind != yamldoc.Text || w.want.Kind != yamldoc.Text {
		return false
	}
	switch w.op {
	case "contains":
		return slices.Contains([]string{"is", "prefix", "suffix", "contains"}, n.op) && strings.Contains(n.want.Text, w.want.Text)
	case "prefix":
		return (n.op == "is" || n.op == "prefix") && strings.HasPrefix(n.want.Text, w.want.Text)
	case "suffix":
		return (n.op == "is" || n.op == "suffix") && strings.HasSuffix(n.want.Text, w.want.Text)
	}
	return false
}

// only is the one test of an entry's condition, nil when there are more or others.
func (p *pass) only(e *entry) *test {
	if !e.node.Get("args_match").IsNull() || !e.node.Get("search").IsNull() {
		return nil
	}
	var out *test
	for i := range p.tests {
		if p.tests[i].entry != e {
			continue
		}
		if out != nil || p.tests[i].not || p.tests[i].scope != 0 {
			return nil
		}
		out = &p.tests[i]
	}
	return out
}

func (p *pass) sameCondition() {
	for i := range p.entries {
		for j := range i {
			a, b := &p.entries[j], &p.entries[i]
			if sameRule(a, b) {
				p.at(b, b.node.Get("if"), "remove one of the two", "the hook %q has the same condition and the same decision", a.label)
			}
		}
	}
}

// sameRule reports whether b is a rule that adds nothing to the rule a.
func sameRule(a, b *entry) bool {
	return a.row == b.row && a.decision() != "" && a.decision() == b.decision() && a.condition() == b.condition() && !b.adds() && !b.always()
}

func (p *pass) sameName() {
	for i := range p.entries {
		for j := range i {
			a, b := &p.entries[j], &p.entries[i]
			name := b.node.Get("name")
			if a.scope != b.scope || a.row != b.row || name.IsNull() || name.Plain() != a.node.Get("name").Plain() || sameRule(a, b) {
				continue
			}
			place := fmt.Sprintf("line %d", a.node.Get("name").Line)
			if a.path != b.path {
				place = fmt.Sprintf("%s:%d", a.path, a.node.Get("name").Line)
			}
			p.at(b, name, "give each hook its own name, so that messages and approvals are unambiguous", "%s already has a hook with this name", place)
			break
		}
	}
}

// packDenies finds rules for calls that a pack denies anyway. Examples of what the rule
// is about are shown to the packs: all of them must be denied.
func (p *pass) packDenies() {
	for i := range p.entries {
		e := &p.entries[i]
		if d := e.decision(); p.Packs == nil || e.row.Kind != checkrein.PreToolUse || d != "ask" && d != "allow" || e.adds() {
			continue
		}
		t := p.only(e)
		if t == nil || t.field != "command" {
			continue
		}
		example, rule := "", ""
		for _, command := range samples(t) {
			d, by := p.Packs(command)
			if d != checkrein.Deny {
				example = ""
				break
			}
			if example == "" {
				example, rule = command, by
			}
		}
		if example == "" {
			continue
		}
		pack, _, _ := strings.Cut(rule, "/")
		remedy := "loosen the pack: packs: [{name: " + pack + ", high: ask}]"
		if e.decision() == "allow" {
			remedy = "write a grant: grants: [{call: " + example + ", reason: …}]"
		}
		p.at(e, e.node.Get("decision"), remedy, "the pack %s already denies `%s` (%s), and a deny wins, so this %s has no effect", pack, example, rule, e.decision())
	}
}
