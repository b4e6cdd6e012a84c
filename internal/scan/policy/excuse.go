package policy

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein/internal/secret"
)

// excuse marks findings that somebody allowed: at the place, in the policy or in
// the baseline.
func (l *look) excuse() {
	p := l.policy
	inline := p.inline && strings.Contains(l.text, mark)
	guard := p.guard && strings.Contains(l.text, guardMark)
	if !inline && !guard && len(p.allow) == 0 && p.baseline == nil && p.floor == nil {
		return
	}
	list := l.out[l.from:]
	for i := range list {
		f := &list[i]
		if inline {
			why, bad := l.ignored(f)
			f.Allowed = why
			if bad >= 0 {
				l.out = append(l.out, Finding{Rule: IgnoreRule, Kind: "policy", Severity: Warn, Start: bad, End: bad + len(mark)})
			}
		}
		if f.Allowed == "" && guard {
			f.Allowed = l.guardAllowed(f)
		}
		if f.Allowed == "" {
			f.Allowed = p.allowedBy(f, l.path, l.text[f.Start:f.End])
		}
	}
	l.bad(len(list))
}

// bad puts the complaints about ignores, which are behind the first n findings,
// in order, each once.
func (l *look) bad(n int) {
	list := l.out[l.from:]
	if len(list) == n {
		return
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return a.Start - b.Start })
	list = slices.CompactFunc(list, func(a, b Finding) bool { return a.Rule == IgnoreRule && a.Rule == b.Rule && a.Start == b.Start })
	place(list, l.text)
	l.out = l.out[:l.from+len(list)]
}

// mark begins an ignore: checkrein:ignore [rule] reason.
const mark = "checkrein:ignore"

// ignored returns why an ignore on the finding's lines, or alone on the line
// before, allows it; bad is where one is that would if it had a reason, or -1.
func (l *look) ignored(f *Finding) (why string, bad int) {
	bad = -1
	first := strings.LastIndexByte(l.text[:f.Start], '\n') + 1
	last := strings.LastIndexByte(l.text[:max(f.Start, f.End-1)], '\n') + 1
	starts := []int{first, last}
	if first > 0 {
		before := strings.LastIndexByte(l.text[:first-1], '\n') + 1
		if alone(l.text[before : first-1]) {
			starts = append(starts, before)
		}
	}
	for _, at := range starts {
		line := l.text[at:]
		if nl := strings.IndexByte(line, '\n'); nl >= 0 {
			line = line[:nl]
		}
		i := strings.Index(line, mark)
		if i < 0 {
			continue
		}
		rest := line[i+len(mark):]
		if from := at + i + len(mark); f.End > from { // the reason is printed, and what was found is not
			cut, to := max(f.Start, from)-from, min(f.End-from, len(rest))
			if cut < to {
				rest = rest[:cut] + "…" + rest[to:]
			}
		}
		rules, reason := l.policy.readIgnore(rest)
		if len(rules) > 0 && !slices.ContainsFunc(rules, func(r string) bool { return r == f.Rule || r == l.policy.setOf(f) }) {
			continue
		}
		if reason == "" {
			bad = at + i
			continue
		}
		return "ignored: " + reason, -1
	}
	return "", bad
}

// alone reports whether a line is a comment with nothing but an ignore in it.
func alone(line string) bool {
	i := strings.Index(line, mark)
	return i >= 0 && strings.IndexFunc(line[:i], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
}

// readIgnore reads what stands behind the mark: rules in brackets or one by its
// name, then the reason, up to what closes a comment.
func (p *Policy) readIgnore(rest string) (rules []string, reason string) {
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '[' && rest[0] != ':' {
		return nil, "" // another word
	}
	rest = strings.TrimLeft(rest, " \t:")
	if inside, after, ok := strings.Cut(rest, "]"); ok && strings.HasPrefix(inside, "[") {
		rules = strings.FieldsFunc(inside[1:], func(r rune) bool { return r == ',' || r == ' ' })
		rest = after
	} else if name, after, _ := strings.Cut(rest, " "); p.knows(strings.TrimSuffix(name, ":")) {
		rules, rest = []string{strings.TrimSuffix(name, ":")}, after
	}
	for _, end := range [...]string{"*/", "-->", "#}", "%>", "*)"} {
		rest, _, _ = strings.Cut(rest, end)
	}
	rest = strings.TrimSpace(rest)
	rest = strings.TrimSpace(strings.TrimLeft(rest, "-–—:="))
	letters := 0
	for _, r := range rest {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < 3 {
		return rules, ""
	}
	// The reason is printed, and whatever was found may be in it.
	rest, _ = secret.Redact(rest, secret.All, nil)
	return rules, strings.Clone(rest) // the text is not ours to keep
}

// knows reports whether a word in an ignore is the name of a rule.
func (p *Policy) knows(name string) bool {
	if name == WordRule || slices.Contains(setNames, name) || p.patternNamed(name) != nil {
		return true
	}
	return slices.ContainsFunc(secret.Rules(), func(r secret.Info) bool { return r.ID == name })
}

// setOf is the set that a finding's rule is in.
func (p *Policy) setOf(f *Finding) string {
	switch {
	case f.Rule == WordRule:
		return setWords
	case f.Kind == kindCustom:
		return setPatterns
	case f.Kind == secret.Secrets.String():
		return setSecrets
	case f.Kind == secret.Personal.String():
		return setPII
	}
	return setOf(f.Rule, secret.Private)
}

// An allowance is an entry of the allow list. Every part that is given must fit.
type allowance struct {
	rule, path, text string
	re               *pattern
	digest           []byte // SHA-256 of the text
	reason, until    string
}

// allowedBy returns why the policy or the baseline allows a finding, "" when
// neither does.
func (p *Policy) allowedBy(f *Finding, path, text string) string {
	for i := range p.allow {
		if a := &p.allow[i]; a.fits(p, f, path, text) {
			if a.until != "" {
				return "allowed until " + a.until + ": " + a.reason
			}
			return "allowed: " + a.reason
		}
	}
	if p.baseline != nil && p.baseline.has(f.Rule, path, text) {
		return "in the baseline"
	}
	if p.floor != nil {
		return p.floor.allowedBy(f, path, text)
	}
	return ""
}

func (a *allowance) fits(p *Policy, f *Finding, path, text string) bool {
	if a.rule != "" && a.rule != f.Rule && a.rule != p.setOf(f) {
		return false
	}
	if a.path != "" && !fits(a.path, path) || a.text != "" && a.text != text {
		return false
	}
	if a.re != nil && !a.re.compiled().MatchString(text) {
		return false
	}
	if a.digest == nil {
		return true
	}
	sum := sha256.Sum256([]byte(text))
	return bytes.Equal(sum[:], a.digest)
}
