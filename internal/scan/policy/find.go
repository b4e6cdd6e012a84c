package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/checkrein/checkrein/internal/secret"
)

// kindCustom is the kind of findings of the patterns and words of a policy.
const kindCustom = "custom"

// Find appends the findings of p in text to dst, in order and including allowed ones. The path is
// relative to the top of the project, with slashes; "" means text without a path, to which everything
// applies. The text must not change during the call.
func (p *Policy) Find(dst []Finding, path string, text []byte) []Finding {
	return p.findIn(dst, path, stringView(text), search{})
}

// stringView returns text as a string without copying it, because copies would take a twentieth of the
// time of a scan. No finding retains a part of the text.
func stringView(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// FindDense is Find for text that was generated or minified. Long runs of digits and names with dots
// mean nothing there, so it searches neither for personal data nor for host names that merely look
// internal. Hosts that the policy names are found.
func (p *Policy) FindDense(dst []Finding, path string, text []byte) []Finding {
	return p.findIn(dst, path, stringView(text), search{dense: true})
}

// FindBinary is Find for the pieces of text in a binary file. It searches only for secrets with a
// recognisable form, and for the patterns and words of the policy.
func (p *Policy) FindBinary(dst []Finding, path string, text []byte) []Finding {
	return p.findIn(dst, path, stringView(text), search{dense: true, binary: true})
}

// AppliesTo reports whether the policy applies to path at all.
func (p *Policy) AppliesTo(path string) bool { return p.layers(path) != [2]*Policy{} }

// findIn is Find with the options of l.
func (p *Policy) findIn(dst []Finding, path, text string, l search) []Finding {
	if !p.AppliesTo(path) {
		return dst
	}
	l.policy, l.layers, l.path, l.text, l.out, l.from = p, p.layers(path), path, text, dst, len(dst)
	l.addSecrets()
	for _, of := range l.layers {
		if of != nil {
			for _, pt := range of.patterns {
				l.addPattern(of, pt)
			}
			l.addWords(of)
		}
	}
	if len(l.out) == l.from {
		return l.out
	}
	list := l.out[l.from:]
	slices.SortStableFunc(list, func(a, b Finding) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
	setPositions(list, text)
	l.markAllowed()
	return l.out
}

// A search holds the state of checking one text against a policy.
type search struct {
	policy     *Policy
	layers     [2]*Policy // the policies that apply to the path; see Policy.layers
	path, text string
	dense      bool
	binary     bool
	out        []Finding
	from       int // index in out of the first finding of this text
}

// severity returns the severity of rule, which belongs to set, at l.path: the strictest of all layers.
func (l *search) severity(rule, set string) (s Severity) {
	for _, of := range l.layers {
		if of != nil {
			s = max(s, of.severity(l.path, rule, set))
		}
	}
	return s
}

// severity returns the severity of rule, which belongs to set, at path, in this layer only. A row for
// the rule takes precedence over one for the set.
func (p *Policy) severity(path, rule, set string) Severity {
	var bySet, byRule Severity
	named := false
	rows := p.rows
	for i := range rows {
		switch r := &rows[i]; r.name {
		case set:
			bySet = r.severityAt(path)
		case rule:
			byRule, named = r.severityAt(path), true
		}
	}
	if named {
		return byRule
	}
	return bySet
}

// severityAt returns the severity that r sets at path.
func (r *row) severityAt(path string) Severity {
	if r.paths.isRestricted() && !r.paths.includes(path) {
		return Off
	}
	return r.severity
}

// addSecrets adds the findings of package secret, and those of the hosts that the policy names.
func (l *search) addSecrets() {
	var want secret.Kind
	for _, of := range l.layers {
		if of == nil {
			continue
		}
		for i := range of.rows {
			if r := &of.rows[i]; r.severityAt(l.path) != Off {
				want |= r.kind | setKind(r.name)
			}
		}
	}
	if l.dense {
		want &^= secret.Personal
	}
	if l.binary {
		want &= secret.Secrets
	}
	for _, of := range l.layers {
		if of != nil {
			l.addNamedHosts(of)
		}
	}
	named := len(l.out)
	if want == 0 {
		return
	}
	var room [16]secret.Finding
	for _, f := range secret.Find(room[:0], l.text, want) {
		s := l.severity(f.Rule, ruleSetOfRule(f.Rule, f.Kind))
		host := f.Rule == hostRule
		if s == Off || l.binary && !secret.RecognisesByForm(f.Rule) || host && (l.dense || overlapsAny(l.out[l.from:named], f.Start, f.End)) {
			continue
		}
		l.out = append(l.out, Finding{Rule: f.Rule, Kind: f.Kind.String(), Severity: s, Start: f.Start, End: f.End})
	}
}

// overlapsAny reports whether a finding of list overlaps the span from start to end.
func overlapsAny(list []Finding, start, end int) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Start < end && start < f.End })
}

// A pattern is a regular expression of the policy.
type pattern struct {
	name, expr string
	severity   Severity
	own        bool // the pattern sets its own severity
	paths      pathFilter
	replace    string

	once sync.Once
	re   *regexp.Regexp
}

// compile returns the compiled expression. It compiles it when it is first needed; the expression was
// validated when the file was read.
func (p *pattern) compile() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(`(?m)` + p.expr) })
	return p.re
}

// addPattern adds the matches of p, with the severity that it has in its policy of.
func (l *search) addPattern(of *Policy, p *pattern) {
	s := p.severity
	if !p.own || of.hasRow(p.name) {
		s = of.severity(l.path, p.name, setPatterns)
	}
	if s == Off || !p.paths.includes(l.path) {
		return
	}
	for _, m := range p.compile().FindAllStringIndex(l.text, -1) {
		if m[0] < m[1] {
			l.out = append(l.out, Finding{Rule: p.name, Kind: kindCustom, Severity: s, Start: m[0], End: m[1]})
		}
	}
}

// hasRow reports whether the policy sets the severity of the rule or rule set name.
func (p *Policy) hasRow(name string) bool {
	return slices.ContainsFunc(p.rows, func(r row) bool { return r.name == name })
}

// patternNamed returns the pattern name of p or of its floor, or nil if there is none.
func (p *Policy) patternNamed(name string) *pattern {
	for _, pt := range p.patterns {
		if pt.name == name {
			return pt
		}
	}
	if p.floor != nil {
		return p.floor.patternNamed(name)
	}
	return nil
}

// setPositions sets the lines and columns of the findings in list, which are sorted.
func setPositions(list []Finding, text string) {
	line, at, begin := 1, 0, 0
	for i := range list {
		f := &list[i]
		line += strings.Count(text[at:f.Start], "\n")
		if nl := strings.LastIndexByte(text[at:f.Start], '\n'); nl >= 0 {
			begin = at + nl + 1
		}
		at = f.Start
		f.Line, f.Column = line, f.Start-begin+1
	}
}
