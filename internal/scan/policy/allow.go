package policy

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein/internal/secret"
)

// markAllowed marks the findings that a comment, the policy or the baseline allows.
func (l *search) markAllowed() {
	p := l.policy
	inline := p.inline && strings.Contains(l.text, ignoreMark)
	guard := p.guard && strings.Contains(l.text, guardMark)
	if !inline && !guard && len(p.allow) == 0 && p.baseline == nil && p.floor == nil {
		return
	}
	list := l.out[l.from:]
	for i := range list {
		f := &list[i]
		if inline {
			why, bad := l.ignoreReason(f)
			f.Allowed = why
			if bad >= 0 {
				l.out = append(l.out, Finding{Rule: IgnoreRule, Kind: "policy", Severity: Warn, Start: bad, End: bad + len(ignoreMark)})
			}
		}
		if f.Allowed == "" && guard {
			f.Allowed = l.guardCommentReason(f)
		}
		if f.Allowed == "" {
			f.Allowed = p.allowReason(f, l.path, l.text[f.Start:f.End])
		}
	}
	l.sortComplaints(len(list))
}

// sortComplaints sorts the findings about ignore comments, which follow the first n findings, into the
// list and removes duplicates.
func (l *search) sortComplaints(n int) {
	list := l.out[l.from:]
	if len(list) == n {
		return
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return a.Start - b.Start })
	list = slices.CompactFunc(list, func(a, b Finding) bool { return a.Rule == IgnoreRule && a.Rule == b.Rule && a.Start == b.Start })
	setPositions(list, l.text)
	l.out = l.out[:l.from+len(list)]
}

// ignoreMark begins an ignore comment: checkrein:ignore [rule] reason.
const ignoreMark = "checkrein:ignore"

// ignoreReason returns why an ignore comment on the lines of f, or alone on the line before, allows f,
// or "". The result bad is the offset of a comment that only lacks a reason, or -1.
func (l *search) ignoreReason(f *Finding) (why string, bad int) {
	bad = -1
	first := strings.LastIndexByte(l.text[:f.Start], '\n') + 1
	last := strings.LastIndexByte(l.text[:max(f.Start, f.End-1)], '\n') + 1
	starts := []int{first, last}
	if first > 0 {
		before := strings.LastIndexByte(l.text[:first-1], '\n') + 1
		if isIgnoreLine(l.text[before : first-1]) {
			starts = append(starts, before)
		}
	}
	for _, at := range starts {
		line := l.text[at:]
		if nl := strings.IndexByte(line, '\n'); nl >= 0 {
			line = line[:nl]
		}
		i := strings.Index(line, ignoreMark)
		if i < 0 {
			continue
		}
		rest := line[i+len(ignoreMark):]
		if from := at + i + len(ignoreMark); f.End > from { // the reason is printed, but must not contain the found text
			cut, to := max(f.Start, from)-from, min(f.End-from, len(rest))
			if cut < to {
				rest = rest[:cut] + "…" + rest[to:]
			}
		}
		rules, reason := l.policy.parseIgnoreComment(rest)
		if len(rules) > 0 && !slices.ContainsFunc(rules, func(r string) bool { return r == f.Rule || r == l.policy.ruleSetOf(f) }) {
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

// isIgnoreLine reports whether line consists of an ignore comment only.
func isIgnoreLine(line string) bool {
	i := strings.Index(line, ignoreMark)
	return i >= 0 && strings.IndexFunc(line[:i], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
}

// parseIgnoreComment parses rest, the text after ignoreMark: rules in brackets or a single rule name,
// then the reason, up to the end of the comment. The reason is "" if it has fewer than three letters.
func (p *Policy) parseIgnoreComment(rest string) (rules []string, reason string) {
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '[' && rest[0] != ':' {
		return nil, "" // the mark is part of a longer word
	}
	rest = strings.TrimLeft(rest, " \t:")
	if inside, after, ok := strings.Cut(rest, "]"); ok && strings.HasPrefix(inside, "[") {
		rules = strings.FieldsFunc(inside[1:], func(r rune) bool { return r == ',' || r == ' ' })
		rest = after
	} else if name, after, _ := strings.Cut(rest, " "); p.isRule(strings.TrimSuffix(name, ":")) {
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
	// The reason is printed and may contain secrets.
	rest, _ = secret.Redact(rest, secret.All, nil)
	return rules, strings.Clone(rest) // the text must not be retained
}

// isRule reports whether name is the name of a rule or a rule set.
func (p *Policy) isRule(name string) bool {
	if name == WordRule || slices.Contains(setNames, name) || p.patternNamed(name) != nil {
		return true
	}
	return slices.ContainsFunc(secret.Rules(), func(r secret.Info) bool { return r.ID == name })
}

// ruleSetOf returns the name of the rule set that the rule of f belongs to.
func (p *Policy) ruleSetOf(f *Finding) string {
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
	return ruleSetOfRule(f.Rule, secret.Private)
}

// An allowance is an entry of the allow list. All fields that are set must match.
type allowance struct {
	rule, path, text string
	re               *pattern
	digest           []byte // SHA-256 of the text
	reason, until    string
}

// allowReason returns why the policy or the baseline allows f, a finding of text in path, or "" if
// neither does.
func (p *Policy) allowReason(f *Finding, path, text string) string {
	for i := range p.allow {
		if a := &p.allow[i]; a.matches(p, f, path, text) {
			if a.until != "" {
				return "allowed until " + a.until + ": " + a.reason
			}
			return "allowed: " + a.reason
		}
	}
	if p.baseline != nil && p.baseline.contains(f.Rule, path, text) {
		return "in the baseline"
	}
	if p.floor != nil {
		return p.floor.allowReason(f, path, text)
	}
	return ""
}

// matches reports whether a allows f, a finding of text in path.
func (a *allowance) matches(p *Policy, f *Finding, path, text string) bool {
	if a.rule != "" && a.rule != f.Rule && a.rule != p.ruleSetOf(f) {
		return false
	}
	if a.path != "" && !matchesGlob(a.path, path) || a.text != "" && a.text != text {
		return false
	}
	if a.re != nil && !a.re.compile().MatchString(text) {
		return false
	}
	if a.digest == nil {
		return true
	}
	sum := sha256.Sum256([]byte(text))
	return bytes.Equal(sum[:], a.digest)
}
