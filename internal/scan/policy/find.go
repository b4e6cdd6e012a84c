package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/checkrein/checkrein/internal/secret"
)

// kindCustom is the kind of what only this policy knows.
const kindCustom = "custom"

// Find appends what the policy objects to in a text to dst, in order, also what
// somebody allowed. Path is from the top of the project, with slashes; "" is a
// text without one, to which everything applies. The text must not change
// meanwhile.
func (p *Policy) Find(dst []Finding, path string, text []byte) []Finding {
	return p.find(dst, path, view(text), look{})
}

// view is a text as a string without a copy: a scan would spend a twentieth of
// its time on them. Nothing that is found holds a part of the text.
func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// FindDense is Find for a text that was generated or minified: long runs of
// digits and names with dots mean nothing there, so personal data and host names
// that only look internal are not looked for. Hosts that the policy names are.
func (p *Policy) FindDense(dst []Finding, path string, text []byte) []Finding {
	return p.find(dst, path, view(text), look{dense: true})
}

// FindBinary is Find for the pieces of text in what is none: only secrets that have a
// shape of their own mean something there, and the patterns and words of the policy.
func (p *Policy) FindBinary(dst []Finding, path string, text []byte) []Finding {
	return p.find(dst, path, view(text), look{dense: true, binary: true})
}

// Covers reports whether the policy is about a path at all.
func (p *Policy) Covers(path string) bool { return p.layers(path) != [2]*Policy{} }

func (p *Policy) find(dst []Finding, path, text string, l look) []Finding {
	if !p.Covers(path) {
		return dst
	}
	l.policy, l.layers, l.path, l.text, l.out, l.from = p, p.layers(path), path, text, dst, len(dst)
	l.engine()
	for _, of := range l.layers {
		if of != nil {
			for _, pt := range of.patterns {
				l.pattern(of, pt)
			}
			l.words(of)
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
	place(list, text)
	l.excuse()
	return l.out
}

// A look is one text being held against the policy.
type look struct {
	policy     *Policy
	layers     [2]*Policy // of the policy, those that are about the path; nil = none
	path, text string
	dense      bool
	binary     bool
	out        []Finding
	from       int // where this text's findings begin in out
}

// severity is that of a rule and its set at the path: the strictest of the layers.
func (l *look) severity(rule, set string) (s Severity) {
	for _, of := range l.layers {
		if of != nil {
			s = max(s, of.severity(l.path, rule, set))
		}
	}
	return s
}

// severity is that of a rule and its set at a path, in this layer alone.
func (p *Policy) severity(path, rule, set string) Severity {
	var bySet, byRule Severity
	named := false
	rows := p.rows
	for i := range rows {
		switch r := &rows[i]; r.name {
		case set:
			bySet = r.at(path)
		case rule:
			byRule, named = r.at(path), true
		}
	}
	if named {
		return byRule
	}
	return bySet
}

// at is the severity that a row gives at a path.
func (r *row) at(path string) Severity {
	if r.paths.any() && !r.paths.fit(path) {
		return Off
	}
	return r.severity
}

// engine adds what package secret finds, and the hosts that the policy names.
func (l *look) engine() {
	var want secret.Kind
	for _, of := range l.layers {
		if of == nil {
			continue
		}
		for i := range of.rows {
			if r := &of.rows[i]; r.at(l.path) != Off {
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
			l.namedHosts(of)
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
		if s == Off || l.binary && !secret.HasShape(f.Rule) || host && (l.dense || covered(l.out[l.from:named], f.Start, f.End)) {
			continue
		}
		l.out = append(l.out, Finding{Rule: f.Rule, Kind: f.Kind.String(), Severity: s, Start: f.Start, End: f.End})
	}
}

func covered(list []Finding, start, end int) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Start < end && start < f.End })
}

// A pattern is a regular expression of the policy.
type pattern struct {
	name, expr string
	severity   Severity
	own        bool // severity was given
	paths      paths
	replace    string

	once sync.Once
	re   *regexp.Regexp
}

// compiled is the expression, which is compiled when it is first needed. It was
// checked when the file was read.
func (p *pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(`(?m)` + p.expr) })
	return p.re
}

// pattern adds what a pattern finds, as severe as its own policy has it.
func (l *look) pattern(of *Policy, p *pattern) {
	s := p.severity
	if !p.own || of.hasRow(p.name) {
		s = of.severity(l.path, p.name, setPatterns)
	}
	if s == Off || !p.paths.fit(l.path) {
		return
	}
	for _, m := range p.compiled().FindAllStringIndex(l.text, -1) {
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

// place gives findings that are in order their lines and columns.
func place(list []Finding, text string) {
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
