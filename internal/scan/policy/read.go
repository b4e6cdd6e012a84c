package policy

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// noBase is the name of the base of a policy that extends no bundled one.
const noBase = "none"

// A reader reads one policy file and collects all mistakes in it.
type reader struct {
	file     string
	now      time.Time
	problems []*yamldoc.Error
	rules    []secret.Info // the rules of package secret, set when they are first needed

	person bool             // the file is the user's own
	floor  *Policy          // the policy that a project's file cannot loosen; nil for other files
	loose  []*yamldoc.Error // parts of the file that would loosen it
	named  bool             // the file names the policy
}

// addProblem records a mistake on line.
func (r *reader) addProblem(line int, format string, args ...any) {
	r.problems = append(r.problems, &yamldoc.Error{Line: line, Msg: fmt.Sprintf(format, args...)})
}

// withoutLookAround is the remedy for a pattern with look-around.
const withoutLookAround = "rewrite the pattern without it"

var topKeys = []string{"name", "extends", "rules", "patterns", "words", "internal_hosts", "include", "exclude", "allow", "inline_ignore", "trusts"}

// readPolicy returns the policy root. It reads patterns before rules, because rules may name them.
func (r *reader) readPolicy(root *yamldoc.Node) *Policy {
	if r.floor == nil && isContentGuard(root) {
		return r.readContentGuard(root)
	}
	p := r.readBase(root)
	p.File = r.file
	if root.IsNull() {
		return p
	}
	if !r.isMap(root, "a policy") {
		return p
	}
	r.checkKeys(root, "", topKeys)
	if n := root.Get("name"); n != nil {
		p.Name, r.named = r.readText(n, "name"), true
	}
	r.eachItem(root, "patterns", func(n *yamldoc.Node) { p.patterns = append(p.patterns, r.readPattern(n, p.patterns)) })
	r.eachItem(root, "words", func(n *yamldoc.Node) {
		if w, ok := newWord(r.readText(n, "a word")); ok {
			p.words = append(p.words, w)
		} else if n.Kind == yamldoc.Text {
			r.addProblem(n.Line, "a word needs a letter or a digit")
		}
	})
	r.eachItem(root, "internal_hosts", func(n *yamldoc.Node) {
		if h, why := newHostGlob(r.readText(n, "a host")); why == "" {
			p.hosts = append(p.hosts, h)
		} else if n.Kind == yamldoc.Text {
			r.addProblem(n.Line, "internal_hosts: %s", why)
		}
	})
	p.paths = r.readPaths(root)
	for _, key := range [...]string{"include", "exclude"} {
		if n := root.Get(key); r.floor != nil && !n.IsNull() {
			r.addLoosening(n.Line, "%s", key)
		}
	}
	r.readRows(p, root.Get("rules"))
	r.eachItem(root, "allow", func(n *yamldoc.Node) { r.readAllowance(p, n) })
	if n := root.Get("inline_ignore"); n != nil {
		if p.inline = r.readFlag(n, "inline_ignore"); p.inline && r.floor != nil && !r.floor.inline {
			r.addLoosening(n.Line, "inline_ignore")
		}
	}
	r.eachItem(root, "trusts", func(n *yamldoc.Node) {
		name := r.readText(n, "trusts")
		switch {
		case !r.person:
			r.addProblem(n.Line, "trusts: allowed only in your own policy")
		case n.Kind == yamldoc.Text && !filepath.IsAbs(name):
			r.addProblem(n.Line, "trusts: %s is not absolute: write the full path of a project's policy", name)
		}
		p.trusts = append(p.trusts, name)
	})
	return p
}

// readBase returns the policy that root extends. Without extends it is the default policy, because
// adding a pattern should not turn everything else off.
func (r *reader) readBase(root *yamldoc.Node) *Policy {
	name := Default
	n := root.Get("extends")
	if n != nil {
		name = r.readText(n, "extends")
	}
	if name == noBase {
		p := &Policy{Name: noBase, inline: true, rows: []row{{name: setPatterns, severity: Block}, {name: setWords, severity: Block}}}
		r.checkBase(p, n)
		return p
	}
	p, err := LoadBundled(name)
	if err != nil {
		if n.Kind == yamldoc.Text {
			r.addProblem(n.Line, "extends: %v, or none", err)
		}
		p, _ = LoadBundled(Default)
	}
	r.checkBase(p, n)
	return p
}

// readRows adds the rows of n, the member rules, to p: {secrets: block, github-pat: {severity: warn,
// exclude: […]}}.
func (r *reader) readRows(p *Policy, n *yamldoc.Node) {
	if n.IsNull() || !r.isMap(n, "rules") {
		return
	}
	for i := range n.Pairs {
		pair := &n.Pairs[i]
		kind, ok := r.kindOf(p, pair.Key)
		if !ok {
			r.addProblem(pair.Line, "rules: unknown rule or rule set %q%s", pair.Key, suggest.Hint(pair.Key, r.ruleNames(p)))
			continue
		}
		row := row{name: pair.Key, kind: kind}
		if v := pair.Value; v != nil && v.Kind == yamldoc.Map {
			r.checkKeys(v, "rules."+pair.Key, []string{"severity", "include", "exclude"})
			row.severity = r.readSeverity(v.Get("severity"), pair.Line)
			row.paths = r.readPaths(v)
		} else {
			row.severity = r.readSeverity(v, pair.Line)
		}
		r.checkRow(&row, pair.Line)
		p.rows = append(p.rows, row)
	}
}

// kindOf reports whether name is a rule or a rule set, and returns the kind that package secret must
// search for to find it.
func (r *reader) kindOf(p *Policy, name string) (secret.Kind, bool) {
	if slices.Contains(setNames, name) {
		return setKind(name), true
	}
	if p.patternNamed(name) != nil {
		return 0, true
	}
	if r.rules == nil {
		r.rules = secret.Rules()
	}
	for _, rule := range r.rules {
		if rule.ID == name {
			return rule.Kind, true
		}
	}
	return 0, false
}

// ruleNames returns the names of all rules and rule sets, including the patterns of p.
func (r *reader) ruleNames(p *Policy) []string {
	names := slices.Clone(setNames)
	for _, pt := range p.patterns {
		names = append(names, pt.name)
	}
	for _, rule := range r.rules {
		names = append(names, rule.ID)
	}
	return names
}

// readPattern returns the pattern n, {name, regex, severity, include, exclude, replace}. Its name must
// not be in before.
func (r *reader) readPattern(n *yamldoc.Node, before []*pattern) *pattern {
	p := &pattern{}
	if !r.isMap(n, "a pattern") {
		return p
	}
	r.checkKeys(n, "patterns", []string{"name", "regex", "severity", "include", "exclude", "replace"})
	p.name = r.readText(r.requiredMember(n, "name"), "name")
	p.expr = r.readText(r.requiredMember(n, "regex"), "regex")
	switch {
	case p.name == "":
	case !isRuleName(p.name):
		r.addProblem(n.Get("name").Line, "patterns: %q is not a valid name: use letters, digits, - and _", p.name)
	case slices.ContainsFunc(before, func(b *pattern) bool { return b.name == p.name }):
		r.addProblem(n.Get("name").Line, "patterns: the name %q is used twice", p.name)
	default:
		if _, taken := r.kindOf(&Policy{}, p.name); taken || p.name == WordRule || p.name == IgnoreRule || p.name == ObjectRule {
			r.addProblem(n.Get("name").Line, "patterns: %q is already the name of a rule: choose another name", p.name)
		}
	}
	if p.expr != "" {
		if _, err := syntax.Parse(p.expr, syntax.Perl); err != nil {
			r.addProblem(n.Get("regex").Line, "pattern %q: %v", p.name, match.Explain(p.expr, err, withoutLookAround))
		}
	}
	if s := n.Get("severity"); s != nil {
		p.severity, p.own = r.readSeverity(s, s.Line), true
	}
	p.paths = r.readPaths(n)
	if s := n.Get("replace"); s != nil {
		p.replace = r.readText(s, "replace")
	}
	return p
}

var allowKeys = []string{"rule", "path", "text", "regex", "digest", "reason", "expires"}

// readAllowance adds the allow entry n, {rule, path, text | regex | digest, reason, expires}, to p. It
// does not use an expired entry, but adds a note.
func (r *reader) readAllowance(p *Policy, n *yamldoc.Node) {
	if n.Kind == yamldoc.Text {
		r.addProblem(n.Line, "allow: each entry needs a reason: write {text: …, reason: …}")
		return
	}
	if !r.isMap(n, "an entry of allow") {
		return
	}
	r.checkKeys(n, "allow", allowKeys)
	a := allowance{reason: strings.TrimSpace(r.readText(r.requiredMember(n, "reason"), "reason"))}
	wrong := len(r.problems)
	a.rule, a.path, a.text = r.optionalText(n, "rule"), r.optionalText(n, "path"), r.optionalText(n, "text")
	if a.rule != "" && a.rule != WordRule {
		if _, ok := r.kindOf(p, a.rule); !ok {
			r.addProblem(n.Get("rule").Line, "allow: unknown rule %q%s", a.rule, suggest.Hint(a.rule, r.ruleNames(p)))
		}
	}
	if n.Get("path") != nil {
		if why := globProblem(a.path); why != "" {
			r.addProblem(n.Get("path").Line, "allow: %s", why)
		}
	}
	if expr := r.optionalText(n, "regex"); expr != "" {
		a.re = &pattern{expr: `\A(?:` + expr + `)\z`} // must match all of a finding, even one of several lines
		if _, err := syntax.Parse(expr, syntax.Perl); err != nil {
			r.addProblem(n.Get("regex").Line, "allow: %v", match.Explain(expr, err, withoutLookAround))
		}
	}
	r.readDigest(&a, n.Get("digest"))
	if a.rule == "" && a.path == "" && a.text == "" && a.re == nil && a.digest == nil && wrong == len(r.problems) {
		r.addProblem(n.Line, "allow: an entry without rule, path, text, regex or digest would allow everything")
	}
	if e := n.Get("expires"); e != nil {
		a.until = r.readText(e, "expires")
		day, err := time.ParseInLocation(time.DateOnly, a.until, r.now.Location())
		switch {
		case err != nil:
			r.addProblem(e.Line, "allow: expires must be a date such as 2027-01-31, not %q", a.until)
		case !r.now.Before(day.AddDate(0, 0, 1)): // the entry is valid on that day
			p.Notes = append(p.Notes, fmt.Sprintf("%s:%d: an allow entry expired on %s and no longer applies (%s)", r.file, n.Line, a.until, a.reason))
			return
		}
	}
	if r.floor != nil && !a.isExact() {
		r.addLoosening(n.Line, "an allow entry without text or digest")
		return
	}
	p.allow = append(p.allow, a)
}

// readDigest sets the digest of a from n, which may be nil.
func (r *reader) readDigest(a *allowance, n *yamldoc.Node) {
	if n == nil {
		return
	}
	sum, ok := strings.CutPrefix(r.readText(n, "digest"), "sha256:")
	b, err := hex.DecodeString(sum)
	if !ok || err != nil || len(b) != 32 {
		r.addProblem(n.Line, "allow: digest must be sha256: and 64 hex digits: to get them, run printf %%s TEXT | sha256sum")
		return
	}
	a.digest = b
}
