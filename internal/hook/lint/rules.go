package lint

import (
	"fmt"
)

// decision returns the decision of a rule, or "" if the entry is not a rule.
func (e *entry) decision() string {
	if t := e.node.Get("type"); t != nil && t.Text != "rule" {
		return ""
	}
	for _, other := range []string{"command", "url", "model"} {
		if e.node.Get(other) != nil {
			return ""
		}
	}
	return e.node.Get("decision").ScalarText()
}

// isUnconditional reports whether the entry applies to every event of its kind.
func (e *entry) isUnconditional() bool {
	m := e.matcher.ScalarText()
	return (m == "" || m == "*" || m == ".*") && e.node.Get("if").IsNull() && e.node.Get("args_match").IsNull() && e.node.Get("search").IsNull()
}

// conditionKey returns a string that is equal for entries with the same condition and matcher.
func (e *entry) conditionKey() string {
	return string(e.node.Get("if").JSON()) + "\x00" + e.matcher.ScalarText() + "\x00" + e.node.Get("args_match").ScalarText() + "\x00" + e.node.Get("search").ScalarText()
}

// hasOtherEffect reports whether the rule does more than decide.
func (e *entry) hasOtherEffect() bool {
	return !e.node.Get("patch").IsNull() || !e.node.Get("context").IsNull() || !e.node.Get("notice").IsNull()
}

// checkCovered finds rules that never matter because another rule denies the same calls.
func (p *pass) checkCovered() {
	for i := range p.entries {
		a := &p.entries[i]
		if a.decision() != "deny" || a.node.Get("mode").ScalarText() == "shadow" {
			continue
		}
		for j := range p.entries {
			b := &p.entries[j]
			if i == j || a.row != b.row || b.decision() == "" || b.decision() == "deny" || b.hasOtherEffect() {
				continue
			}
			at := b.node.Get("decision")
			switch {
			case a.isUnconditional():
				p.addEntryFinding(b, at, fmt.Sprintf("give the hook %q a condition, or remove this rule", a.label), "the hook %q (%s) denies every %s, and a deny wins, so this %s never has an effect", a.label, a.placeFor(b), a.row.Name, b.decision())
			case a.conditionKey() == b.conditionKey():
				p.addEntryFinding(b, at, "remove one of the two", "the hook %q (%s) denies the same calls, and a deny wins, so this %s never has an effect", a.label, a.placeFor(b), b.decision())
			}
		}
	}
}

// placeFor returns the line of e, with its file if the entry b, about which a message is, is in another one.
func (e *entry) placeFor(b *entry) string {
	line := e.node.Line
	if name := e.node.Get("name"); !name.IsNull() {
		line = name.Line
	}
	if e.path != b.path {
		return fmt.Sprintf("%s:%d", e.path, line)
	}
	return fmt.Sprintf("line %d", line)
}

// isRedundantRule reports whether the rule b adds nothing to the rule a.
func isRedundantRule(a, b *entry) bool {
	return a.row == b.row && a.decision() != "" && a.decision() == b.decision() && a.conditionKey() == b.conditionKey() && !b.hasOtherEffect() && !b.isUnconditional()
}

// checkSameName finds hooks of the same scope and event that have the same name.
func (p *pass) checkSameName() {
	for i := range p.entries {
		for j := range i {
			a, b := &p.entries[j], &p.entries[i]
			name := b.node.Get("name")
			if a.scope != b.scope || a.row != b.row || name.IsNull() || name.ScalarText() != a.node.Get("name").ScalarText() || isRedundantRule(a, b) {
				continue
			}
			p.addEntryFinding(b, name, "give each hook its own name, so that messages and approvals are unambiguous", "%s already has a hook with this name", a.placeFor(b))
			break
		}
	}
}
