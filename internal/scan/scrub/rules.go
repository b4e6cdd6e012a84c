package scrub

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/hook/match"
)

// Rules holds replacements that the user wrote in the notation of sed: one s/…/…/g per line, applied
// to each line of a text in order. Patterns are Go regular expressions.
type Rules struct{ list []rule }

// A rule is one replacement.
type rule struct {
	place string // file:line
	re    *regexp.Regexp
	with  string // in the notation of regexp.Expand
}

// ParseRules parses src, the content of file. The error lists all mistakes, with file and line.
func ParseRules(file string, src []byte) (*Rules, error) {
	r := &Rules{}
	var errs []error
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		place := fmt.Sprintf("%s:%d", file, n)
		one, err := parseRule(line)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", place, err))
			continue
		}
		one.place = place
		r.list = append(r.list, one)
	}
	return r, errors.Join(errs...)
}

// Len returns the number of rules, which is 0 for nil.
func (r *Rules) Len() int {
	if r == nil {
		return 0
	}
	return len(r.list)
}

const ruleForm = "write s/pattern/replacement/g"

// parseRule parses line, s/pattern/replacement/g with any delimiter.
func parseRule(line string) (rule, error) {
	rest, ok := strings.CutPrefix(line, "s")
	delim, size := utf8.DecodeRuneInString(rest)
	if !ok || size == 0 || delim == '\\' || delim == ' ' || delim >= '0' && delim <= '9' || delim >= 'a' && delim <= 'z' || delim >= 'A' && delim <= 'Z' {
		return rule{}, fmt.Errorf("%q is not a valid rule: %s", line, ruleForm)
	}
	pattern, rest, ok := cutAtDelim(rest[size:], delim)
	with, flags, ok2 := cutAtDelim(rest, delim)
	if !ok || !ok2 {
		return rule{}, fmt.Errorf("the pattern or replacement lacks its closing %c: %s", delim, ruleForm)
	}
	expr, err := applyFlags(unescapeDelim(pattern, delim, regexp.QuoteMeta(string(delim))), flags)
	if err != nil {
		return rule{}, err
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return rule{}, match.Explain(pattern, err, "rewrite the pattern without it")
	}
	if re.MatchString("") {
		return rule{}, fmt.Errorf("the pattern %q matches the empty string, so it would change every line", pattern)
	}
	template, err := convertTemplate(unescapeDelim(with, delim, string(delim)), re.NumSubexp())
	return rule{re: re, with: template}, err
}

// applyFlags returns expr with flags, those of a rule, applied. The flag g is required.
func applyFlags(expr, flags string) (string, error) {
	every := false
	for _, c := range flags {
		switch c {
		case 'g':
			every = true
		case 'i', 'I':
			expr = "(?i)" + expr
		default:
			return "", fmt.Errorf("flag %q is unknown: must be g or i", c)
		}
	}
	if !every {
		return "", errors.New("the flag g is missing: without it, each run would change another match")
	}
	return expr, nil
}

// cutAtDelim returns the parts of s before and after the first delim that is not escaped with a
// backslash. It reports false if there is none.
func cutAtDelim(s string, delim rune) (before, after string, ok bool) {
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == delim:
			return s[:i], s[i+n:], true
		case c == '\\' && i+n < len(s):
			_, m := utf8.DecodeRuneInString(s[i+n:])
			n += m
		}
		i += n
	}
	return s, "", false
}

// unescapeDelim returns s with escaped delimiters replaced by plain.
func unescapeDelim(s string, delim rune, plain string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		if c == '\\' && i+n < len(s) {
			next, m := utf8.DecodeRuneInString(s[i+n:])
			if next == delim {
				b.WriteString(plain)
			} else {
				b.WriteString(s[i : i+n+m])
			}
			i += n + m
			continue
		}
		b.WriteString(s[i : i+n])
		i += n
	}
	return b.String()
}

// convertTemplate converts s, a replacement in the notation of sed, to that of package regexp: & is
// the match and \1 its first group. The pattern has the given number of groups.
func convertTemplate(s string, groups int) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '$':
			b.WriteString("$$")
		case c == '&':
			b.WriteString("${0}")
		case c == '\\' && i+1 < len(s):
			i++
			switch d := s[i]; {
			case d >= '0' && d <= '9':
				if int(d-'0') > groups {
					return "", fmt.Errorf(`\%c: the pattern has no group %c`, d, d)
				}
				fmt.Fprintf(&b, "${%c}", d)
			case d == 'n':
				b.WriteByte('\n')
			case d == 't':
				b.WriteByte('\t')
			case d == '$':
				b.WriteString("$$")
			default:
				b.WriteByte(d)
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// apply returns text with the rules applied to each line, the number of replaced matches, and the
// place of the last rule that changed something.
func (r *Rules) apply(text string) (out string, n int, last string) {
	if r.Len() == 0 {
		return text, 0, ""
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		done := body
		for i := range r.list {
			rule := &r.list[i]
			hits := len(rule.re.FindAllStringIndex(done, -1))
			if hits == 0 {
				continue
			}
			next := rule.re.ReplaceAllString(done, rule.with)
			if next != done {
				n, last = n+hits, rule.place
			}
			done = next
		}
		b.WriteString(done)
		b.WriteString(line[len(body):])
	}
	return b.String(), n, last
}
