package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/checkrein/checkrein/internal/secret"
)

// kindCustom is the kind of findings of a policy's own patterns and words.
const kindCustom = "custom"

// Find appends the policy's findings in a text to dst, in order, including allowed ones. path is
// relative to the top of the project, with slashes; "" means a text without a path, to which
// everything applies. The text must not change during the call.
func (p *Policy) Find(dst []Finding, path string, text []byte) []Finding {
	return p.findIn(dst, path, stringView(text), search{})
}

// stringView returns a text as a string without copying, since copies would take a twentieth of a
// scan's time. No finding retains a part of the text.
func stringView(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// FindDense is Find for a text that was generated or minified: long runs of digits and names with dots
// mean nothing there, so it does not search for personal data and for host names that merely look
// internal. Hosts that the policy names are found.
func (p *Policy) FindDense(dst []Finding, path string, text []byte) []Finding {
	return p.findIn(dst, path, stringView(text), search{dense: true})
}

// FindBinary is Find for the pieces of text in a binary file: only secrets with a distinctive format
// mean something there, and the patterns and words of the policy.
func (p *Policy) FindBinary(dst []Finding, path string, text []byte) []Finding {
	return p.findIn(dst, path, stringView(text), search{dense: true, binary: true})
}

// AppliesTo reports whether the policy applies to a path at all.
func (p *Policy) AppliesTo(path string) bool { return p.layers(path) != [2]*Policy{} }

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

// A search checks one text against the policy.
type search struct {
	policy     *Policy
	layers     [2]*Policy // the policies that apply to the path; nil means none
	path, text string
	dense      bool
	binary     bool
	out        []Finding
	from       int // index of this text's first finding in out
}

// severity returns the severity of a rule and its set at the path: the strictest of the layers.
func (l *search) severity(rule, set string) (s Severity) {
	for _, of := range l.layers {
		if of != nil {
			s = max(s, of.severity(l.path, rule, set))
		}
	}
	return s
}

// severity returns the severity of a rule and its set at a path, in this layer only.
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

// severityAt returns the severity that a row sets for a path.
func (r *row) severityAt(path string) Severity {
	if r.paths.isSet() && !r.paths.includes(path) {
		return Off
	}
	return r.severity
}

// addSecrets adds the findings of package secret, and the hosts that the policy names.
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
		s := l.severity(f.Rule, setOf(f.Rule, f.Kind))
		host := f.Rule == hostRule
		if s == Off || l.binary && !secret.RecognisesByForm(f.Rule) || host && (l.dense || overlapsAny(l.out[l.from:named], f.Start, f.End)) {
			continue
		}
		l.out = append(l.out, Finding{Rule: f.Rule, Kind: f.Kind.String(), Severity: s, Start: f.Start, End: f.End})
	}
}

func overlapsAny(list []Finding, start, end int) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Start < end && start < f.End })
}

// A pattern is a regular expression of the policy.
type pattern struct {
	name, expr string
	severity   Severity
	own        bool // severity was set explicitly
	paths      pathFilter
	replace    string

	once sync.Once
	re   *regexp.Regexp
}

// compile returns the expression, which is compiled when it is first needed. It was validated when the
// file was read.
func (p *pattern) compile() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(`(?m)` + p.expr) })
	return p.re
}

// addPattern adds the matches of a pattern, with the severity in its own policy.
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

func (p *Policy) hasRow(name string) bool {
	return slices.ContainsFunc(p.rows, func(r row) bool { return r.name == name })
}

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

// setPositions sets the lines and columns of sorted findings.
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
