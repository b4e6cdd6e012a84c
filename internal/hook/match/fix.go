package match

import (
	"strings"
	"unicode"
)

// fix is the change by which a test would hold for one of the values, "" when none is
// plain.
func (n *test) fix(seen []string) string {
	if len(seen) == 0 {
		return ""
	}
	switch want := n.want.text; n.op.name {
	case "is", "in":
		return fixIs(n.want.words(n.op.name), seen)
	case "prefix":
		return fixWithin(want, seen, "beginning")
	case "suffix":
		return fixWithin(want, seen, "end")
	case "contains":
		return fixCase(want, seen)
	case "regex":
		return fixRegex(want, seen)
	case "glob":
		return n.fixGlob(seen)
	}
	return ""
}

func fixIs(want, seen []string) string {
	for _, w := range want {
		for _, s := range seen {
			switch {
			case strings.EqualFold(w, s):
				return "comparisons are case-sensitive: write " + quote(s)
			case strings.TrimSpace(w) == strings.TrimSpace(s):
				return "only leading or trailing spaces differ: write " + quote(s)
			case w != "" && strings.Contains(s, w):
				return "\"is\" compares the whole value: use contains"
			}
		}
	}
	return ""
}

func fixWithin(want string, seen []string, where string) string {
	for _, s := range seen {
		if strings.Contains(s, want) {
			return "the value contains this, but not at its " + where + ": use contains"
		}
	}
	return fixCase(want, seen)
}

// fixCase finds what is meant in a value that has it with other letters.
func fixCase(want string, seen []string) string {
	for _, s := range seen {
		for i := 0; i+len(want) <= len(s); i++ {
			if has := s[i : i+len(want)]; strings.EqualFold(has, want) {
				return "comparisons are case-sensitive: write " + quote(has) + ", or use regex with (?i) to ignore the case"
			}
		}
	}
	return ""
}

// fixRegex tries an expression with one thing changed.
func fixRegex(expr string, seen []string) string {
	if i := strings.IndexFunc(expr, unicode.IsControl); i >= 0 {
		if expr[i] == '\b' {
			return `the expression contains a backspace: in YAML, write \b in single quotes`
		}
		return "the expression contains a control character: in YAML, put the expression in single quotes"
	}
	tries := []struct{ expr, say string }{
		{"(?i)" + expr, "matching is case-sensitive: put (?i) in front"},
		{strings.TrimPrefix(expr, "^"), "the expression matches without ^: the value starts with something else"},
		{strings.TrimSuffix(expr, "$"), "the expression matches without $: the value has more text at the end"},
		{strings.TrimSuffix(strings.TrimPrefix(expr, "^"), "$"), "the expression matches without ^ and $"},
		{"(?s)" + expr, "a dot does not match a line break: put (?s) in front"},
		{"(?m)" + expr, "^ and $ match only at the ends of the whole value: to match at line ends, put (?m) in front"},
		{strings.ReplaceAll(expr, " ", `\s+`), `the value has other white space: write \s+ instead of a space`},
	}
	for _, t := range tries {
		if t.expr == expr || t.expr == "" {
			continue
		}
		p, err := newPattern(t.expr)
		if err != nil {
			continue
		}
		for _, s := range seen {
			if p.match(s) {
				return t.say
			}
		}
	}
	return ""
}

// fixGlob tries a glob with one thing changed, as the test does: in all spellings of a path.
func (n *test) fixGlob(seen []string) string {
	tries := func(change func(string) string) (string, bool) {
		for _, g := range n.want.list {
			to := change(g)
			if to == g || checkGlob(to) != nil {
				continue
			}
			for _, s := range seen {
				if glob(to, s, n.want.sep) {
					return to, true
				}
			}
		}
		return "", false
	}
	if n.want.sep == 0 {
		if to, ok := tries(func(g string) string { return "*" + strings.Trim(g, "*") + "*" }); ok {
			return "a glob must match the whole value: write " + quote(to)
		}
		return n.foldGlob(seen)
	}
	for _, t := range []struct {
		say    string
		change func(string) string
	}{
		{"paths are absolute: write ", func(g string) string {
			if strings.HasPrefix(g, "/") {
				return g
			}
			return "**/" + g
		}},
		{"a glob must match the whole path: write ", func(g string) string { return strings.TrimSuffix(g, "/") + "/**" }},
		{"* does not match across directories: write ", func(g string) string {
			if strings.Contains(g, "**") {
				return g
			}
			return strings.ReplaceAll(g, "*", "**")
		}},
		{"paths are absolute: write ", func(g string) string { return "**/" + strings.Trim(g, "/") + "/**" }},
	} {
		if to, ok := tries(t.change); ok {
			return t.say + quote(to)
		}
	}
	return n.foldGlob(seen)
}

func (n *test) foldGlob(seen []string) string {
	for _, g := range n.want.list {
		for _, s := range seen {
			if glob(strings.ToLower(g), strings.ToLower(s), n.want.sep) {
				return "comparisons are case-sensitive, and only the case differs"
			}
		}
	}
	return ""
}

// fix is the change by which a matcher would accept a tool of one of these names.
func (t *Tool) fix(expr string, names []string) string {
	if t.re == nil {
		for _, w := range t.names {
			for _, s := range names {
				if strings.EqualFold(w, s) {
					return "comparisons are case-sensitive: write " + s
				}
			}
		}
		return ""
	}
	for _, try := range []struct{ expr, say string }{
		{"(?i)" + t.re.src, "matching is case-sensitive: put (?i) in front"},
		{"(?s)" + expr, "the expression must match the whole name: add .* where other text may appear"},
	} {
		p, err := newPattern(try.expr)
		if err != nil {
			continue
		}
		for _, s := range names {
			if p.match(s) {
				return try.say
			}
		}
	}
	return ""
}

func quote(s string) string { return "'" + s + "'" }
