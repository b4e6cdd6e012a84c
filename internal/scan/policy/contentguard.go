package policy

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// This file reads policies of content-guard. Its categories become our rule sets. Its rules become
// equivalent rules of ours, or patterns if there are none. Notes list what has no equivalent, so that
// nothing becomes weaker silently.

// guardKeys lists the keys of a content-guard policy. Keys that begin with _ are comments.
var guardKeys = []string{"name", "defaults", "rules", "custom_rules", "known_hosts", "allow_values", "backends"}

// isContentGuard reports whether root is a content-guard policy: it has a key that ours do not have,
// and none that only ours have.
func isContentGuard(root *yamldoc.Node) bool {
	is := false
	for i := range root.Pairs {
		key := root.Pairs[i].Key
		switch {
		case key == "name" || key == "rules":
		case slices.Contains(guardKeys, key):
			is = true
		case slices.Contains(topKeys, key):
			return false
		}
	}
	return is
}

// A guardRule is a rule of content-guard.
type guardRule struct {
	id, category string
	ours         string // our equivalent rule or rule set
	expr         string // a pattern, if there is no equivalent
}

var guardRules = []guardRule{
	{"email", "pii", "email-address", ""},
	{"us-phone", "pii", "phone-number", ""},
	{"private-ipv4", "infrastructure", "private-ipv4", ""},
	{"ssh-private-target", "infrastructure", setAddresses, ""},
	{"jwt-token", "secret", setSecrets, ""},
	{"bearer-token", "secret", setSecrets, ""},
	{"api-key-assignment", "secret", setSecrets, ""},
	{"private-key-block", "secret", setSecrets, ""},
	{"loopback-ipv4", "infrastructure", "", `\b127\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`},
	{"localhost-port", "infrastructure", "", `(?i)\blocalhost:\d+\b`},
	{"localhost-bare", "infrastructure", "", `(?i)(?:^|[^\w.-])localhost(?:[^\w.:-]|:\D|$)`},
	{"port-reference", "infrastructure", "", `(?i)\bport\s+\d{4,5}\b`},
	{"coauthored-by-trailer", "attribution", "", `(?i)^Co-authored-by:.*\S.*$`},
}

// ignoredRules lists rules about things that we do not report: samples, and what a model finds.
var ignoredRules = []string{"example-phone-555", "example-email-reserved", "opf-pii"}

// defaultSeverity returns the severity of category if a file does not set it.
func defaultSeverity(category string) Severity {
	switch category {
	case "infrastructure", "secret", "personal", "attribution":
		return Block
	}
	return Info
}

// guardSets lists our rule sets for each category.
var guardSets = [...]struct{ category, set string }{
	{"infrastructure", setAddresses}, {"infrastructure", setHosts}, {"secret", setSecrets}, {"pii", setPII},
}

// guardActions lists the names of severities in content-guard policies.
var guardActions = []string{"allow", "warn", "redact", "block"}

// guardSeverity returns the severity for the action n, which is at where in the file. Things that
// content-guard redacts are removed by scrub here; those that it warns about are only shown.
func (r *reader) guardSeverity(n *yamldoc.Node, where string) Severity {
	switch n.ScalarText() {
	case "allow":
		return Off
	case "warn":
		return Info
	case "redact":
		return Warn
	case "block":
		return Block
	}
	r.addProblem(n.Line, "%s: unknown action %q%s", where, n.ScalarText(), suggest.HintOr(n.ScalarText(), guardActions, "use allow, warn, redact or block"))
	return Block
}

// addNote adds a note about a line of the file to p.
func (r *reader) addNote(p *Policy, line int, format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf("%s:%d: ", r.file, line)+fmt.Sprintf(format, args...))
}

// readContentGuard returns the content-guard policy root as one of ours.
func (r *reader) readContentGuard(root *yamldoc.Node) *Policy {
	p, _ := LoadBundled(Default)
	p.File, p.guard = r.file, true
	for i := range root.Pairs {
		if pair := &root.Pairs[i]; !slices.Contains(guardKeys, pair.Key) && !strings.HasPrefix(pair.Key, "_") {
			r.addNote(p, pair.Line, "unknown key %q has no effect%s", pair.Key, suggest.Hint(pair.Key, guardKeys))
		}
	}
	if n := root.Get("name"); n != nil {
		p.Name, r.named = r.readText(n, "name"), true
	}
	byCategory := r.applyGuardDefaults(p, root.Get("defaults"))
	byRule := r.readActions(root.Get("rules"), "rules")
	for i := range guardRules {
		r.addGuardRule(p, &guardRules[i], byCategory, byRule)
	}
	r.addKnownHosts(p, root, byRule)
	r.eachItem(root, "custom_rules", func(n *yamldoc.Node) { r.addCustomRule(p, n, byCategory, byRule) })
	r.noteUnusedRules(p, root.Get("rules"))
	r.eachItem(root, "allow_values", func(n *yamldoc.Node) {
		p.allow = append(p.allow, allowance{text: r.readText(n, "allow_values"), reason: "in allow_values"})
	})
	r.noteBackends(p, root.Get("backends"))
	return p
}

// readActions returns the severities in n, a mapping from names to actions that is called what.
func (r *reader) readActions(n *yamldoc.Node, what string) map[string]Severity {
	out := map[string]Severity{}
	if n.IsNull() || !r.isMap(n, what) {
		return out
	}
	for i := range n.Pairs {
		if key := n.Pairs[i].Key; !strings.HasPrefix(key, "_") {
			out[key] = r.guardSeverity(n.Pairs[i].Value, what+"."+key)
		}
	}
	return out
}

// applyGuardDefaults sets the severities of our rule sets in p from the categories in n. It returns a
// function that returns the severity of a category.
func (r *reader) applyGuardDefaults(p *Policy, n *yamldoc.Node) func(category string) Severity {
	said := r.readActions(n, "defaults")
	by := func(category string) Severity {
		if s, ok := said[category]; ok {
			return s
		}
		return defaultSeverity(category)
	}
	for _, of := range guardSets {
		p.rows = append(p.rows, row{name: of.set, kind: setKind(of.set), severity: by(of.category)})
	}
	return by
}

// addGuardRule adds our equivalent of the rule g to p.
func (r *reader) addGuardRule(p *Policy, g *guardRule, byCategory func(string) Severity, byRule map[string]Severity) {
	s, own := byRule[g.id]
	if !own {
		s = byCategory(g.category)
	}
	switch {
	case g.expr != "":
		p.patterns = append(p.patterns, &pattern{name: g.id, expr: g.expr, severity: s, own: true})
	case !slices.Contains(setNames, g.ours):
		kind, _ := r.kindOf(p, g.ours)
		p.rows = append(p.rows, row{name: g.ours, kind: kind, severity: s})
	case own && s != byCategory(g.category):
		p.Notes = append(p.Notes, fmt.Sprintf("%s: rules.%s has no effect: the rule set %s covers it, and stays at %s", r.file, g.id, g.ours, byCategory(g.category)))
	}
}

// addKnownHosts adds a pattern for the hosts and addresses that the file lists to p. It blocks unless
// the file sets the rule known-host.
func (r *reader) addKnownHosts(p *Policy, root *yamldoc.Node, byRule map[string]Severity) {
	var hosts []string
	r.eachItem(root, "known_hosts", func(n *yamldoc.Node) {
		if host := strings.TrimSpace(r.readText(n, "known_hosts")); host != "" {
			hosts = append(hosts, regexp.QuoteMeta(host))
		}
	})
	if len(hosts) == 0 {
		return
	}
	s, ok := byRule["known-host"]
	if !ok {
		s = Block
	}
	p.patterns = append(p.patterns, &pattern{name: "known-host", expr: `\b(?:` + strings.Join(hosts, "|") + `)\b`, severity: s, own: true})
}

var customKeys = []string{"id", "category", "pattern", "replacement", "description", "flags"}

// addCustomRule adds the rule n, {id, category, pattern, replacement, flags}, to p as a pattern. It is
// an error if that is impossible, because the rule would silently find nothing.
func (r *reader) addCustomRule(p *Policy, n *yamldoc.Node, byCategory func(string) Severity, byRule map[string]Severity) {
	if !r.isMap(n, "an entry of custom_rules") {
		return
	}
	for i := range n.Pairs {
		if pair := &n.Pairs[i]; !slices.Contains(customKeys, pair.Key) && !strings.HasPrefix(pair.Key, "_") {
			r.addNote(p, pair.Line, "custom_rules: unknown key %q has no effect%s", pair.Key, suggest.Hint(pair.Key, customKeys))
		}
	}
	id, category := r.readText(r.requiredMember(n, "id"), "id"), r.readText(r.requiredMember(n, "category"), "category")
	expr := r.readText(r.requiredMember(n, "pattern"), "pattern")
	if id == "" || expr == "" {
		return
	}
	s, ok := byRule[id]
	if !ok {
		s = byCategory(category)
	}
	r.eachItem(n, "flags", func(f *yamldoc.Node) {
		letter := map[string]string{"ignorecase": "i", "multiline": "m", "dotall": "s"}[f.ScalarText()]
		if letter == "" {
			r.addProblem(f.Line, "custom_rules: %s: unknown flag %q: use ignorecase, multiline or dotall", id, f.ScalarText())
		}
		expr = "(?" + letter + ")" + expr
	})
	expr = strings.ReplaceAll(expr, `\Z`, `\z`) // Python writes \Z for \z
	if _, err := syntax.Parse(expr, syntax.Perl); err != nil {
		r.addProblem(n.Get("pattern").Line, "custom rule %q: %v", id, match.Explain(expr, err, withoutLookAround))
		return
	}
	name := r.unusedRuleName(p, id)
	if name != id {
		r.addNote(p, n.Line, "the custom rule %q is renamed to %s here", id, name)
	}
	pt := &pattern{name: name, expr: expr, severity: s, own: true}
	if text := n.Get("replacement"); !text.IsNull() {
		pt.replace = strings.ReplaceAll(text.ScalarText(), "$", "$$")
	}
	p.patterns = append(p.patterns, pt)
}

// unusedRuleName returns a name for the custom rule id that no other rule has.
func (r *reader) unusedRuleName(p *Policy, id string) string {
	name := strings.Map(func(c rune) rune {
		if isRuleName(string(c)) {
			return c
		}
		return '-'
	}, id)
	taken := func(name string) bool {
		_, is := r.kindOf(p, name)
		return is || name == WordRule || name == IgnoreRule || name == ObjectRule
	}
	if taken(name) {
		name = "custom-" + name
	}
	base := name
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// noteUnusedRules adds notes about the rules in n that have no effect here to p.
func (r *reader) noteUnusedRules(p *Policy, n *yamldoc.Node) {
	if n.IsNull() || n.Kind != yamldoc.Map {
		return
	}
	for i := range n.Pairs {
		key := n.Pairs[i].Key
		known := strings.HasPrefix(key, "_") || key == "known-host" || slices.Contains(ignoredRules, key) || p.patternNamed(key) != nil || p.patternNamed("custom-"+key) != nil ||
			slices.ContainsFunc(guardRules, func(g guardRule) bool { return g.id == key })
		if !known {
			r.addNote(p, n.Pairs[i].Line, "rules: unknown rule %q has no effect", key)
		}
	}
}

// noteBackends adds notes about the backends in n, which are not run, to p.
func (r *reader) noteBackends(p *Policy, n *yamldoc.Node) {
	if n.IsNull() || !r.isMap(n, "backends") {
		return
	}
	for i := range n.Pairs {
		pair := &n.Pairs[i]
		switch {
		case strings.HasPrefix(pair.Key, "_"):
		case pair.Key != "opf":
			r.addNote(p, pair.Line, "unknown backends.%s is not run", pair.Key)
		case pair.Value.Get("enabled").ScalarText() == "true":
			r.addNote(p, pair.Line, "backends.opf, which uses a model to find personal data, is not supported here; rules find e-mail addresses, phone numbers, cards and IBANs")
		}
	}
}

// guardMark begins content-guard's own comments, which allow findings on the same line and the next
// one, or in the whole file.
const guardMark = "content-guard:"

// guardCommentReason returns why a content-guard comment allows f, or "" if none does.
func (l *search) guardCommentReason(f *Finding) string {
	for rest, at := l.text, 0; ; {
		i := strings.Index(rest, guardMark)
		if i < 0 {
			return ""
		}
		at += i + len(guardMark)
		rest = rest[i+len(guardMark):]
		line, _, _ := strings.Cut(rest, "\n")
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "allow" || !l.policy.guardWordMatches(words[1], f) {
			continue
		}
		here := 1 + strings.Count(l.text[:at], "\n")
		if len(words) > 2 && words[2] == "file" || f.Line == here || f.Line == here+1 {
			return "allowed: content-guard: allow " + strings.Clone(words[1])
		}
	}
}

// guardWordMatches reports whether word, from a content-guard comment, refers to the rule of f.
func (p *Policy) guardWordMatches(word string, f *Finding) bool {
	if word == "all" || word == f.Rule || "custom-"+word == f.Rule {
		return true
	}
	return slices.ContainsFunc(guardRules, func(g guardRule) bool {
		return g.id == word && g.ours != "" && (g.ours == f.Rule || g.ours == p.ruleSetOf(f))
	})
}
