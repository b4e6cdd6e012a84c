package match

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Tool matches names of tools. The zero Tool matches every tool.
type Tool struct {
	names []string // exact names
	re    *pattern // an expression; nil if names suffice
}

// CompileTool compiles a matcher; "" and "*" match all tools. By MatchWhole, it is a regular
// expression that must match the whole name of a tool. By MatchWords, names separated by commas or
// bars are exact names, and anything else is an expression that a name must contain. Matching is
// case-sensitive. A dot matches any character including a newline, so that a tool whose name has one
// does not escape ".*".
func CompileTool(expr string, by bool) (Tool, error) {
	if expr == "" || expr == "*" {
		return Tool{}, nil
	}
	switch names, listed := splitNames(expr); {
	case by && listed:
		return Tool{names: names}, nil
	case !by && isNameList(expr):
		return Tool{names: strings.Split(expr, "|")}, nil
	}
	_, err := newPattern(expr) // "a)|(b" must be invalid, although it is valid inside the text below
	var p *pattern
	switch {
	case err != nil:
	case !by:
		p, err = newPattern(`(?s)^(?:` + expr + `)$`)
	default:
		p, err = newPattern(`(?s)` + expr)
	}
	if err != nil {
		return Tool{}, explainPattern(expr, err)
	}
	return Tool{re: p}, nil
}

// splitNames splits a list of plain names; false if expr is an expression.
func splitNames(expr string) ([]string, bool) {
	var out []string
	for _, w := range strings.FieldsFunc(expr, func(r rune) bool { return r == '|' || r == ',' || r == ' ' }) {
		if strings.ContainsFunc(w, func(r rune) bool { return r != '_' && r != '-' && !isAlphanumeric(r) }) {
			return nil, false
		}
		out = append(out, w)
	}
	return out, len(out) > 0
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// A Search is an expression that a text must contain. The zero Search matches every text.
type Search struct{ re *pattern }

// CompileSearch compiles an expression; "" matches every text.
func CompileSearch(expr string) (Search, error) {
	if expr == "" {
		return Search{}, nil
	}
	p, err := newPattern(expr)
	if err != nil {
		return Search{}, explainPattern(expr, err)
	}
	return Search{p}, nil
}

// IsZero reports whether s matches every text.
func (s *Search) IsZero() bool { return s.re == nil }

// MatchesText reports whether a text contains a match.
func (s *Search) MatchesText(text string) bool { return s.re == nil || s.re.matches(text) }

// MatchesJSON reports whether any string of a JSON value contains a match.
func (s *Search) MatchesJSON(val []byte) bool {
	if s.re == nil {
		return true
	}
	found := false
	rawjson.Strings(val, func(text string) bool {
		found = s.re.matches(text)
		return !found
	})
	return found
}

// isNameList reports whether expr is a list of names: except for alternation, nothing in it has a
// meaning in a regular expression. mcp:server/tool is such a name.
func isNameList(expr string) bool {
	return !strings.ContainsAny(expr, `\.+*?()[]{}^$`) && !strings.Contains("|"+expr+"|", "||")
}

// MatchesAll reports whether every tool matches.
func (t *Tool) MatchesAll() bool { return t.names == nil && t.re == nil }

// Match reports whether the matcher accepts the tool by its host's name, its canonical name, or local,
// its name in the hook's dialect ("" if it has none). Without a tool, only a matcher that accepts
// everything matches.
func (t *Tool) Match(tool *checkrein.Tool, local string) bool {
	if t.MatchesAll() {
		return true
	}
	if tool == nil {
		return false
	}
	return t.matchesName(tool.Name) || t.matchesName(tool.Canonical) || t.matchesName(local)
}

func (t *Tool) matchesName(s string) bool {
	if s == "" {
		return false
	}
	if t.re != nil {
		return t.re.matches(s)
	}
	for _, n := range t.names {
		if n == s {
			return true
		}
	}
	return false
}

// MatchesKnown reports whether the matcher accepts any known tool. One that accepts none is probably a
// mistake.
func (t *Tool) MatchesKnown() bool {
	if t.MatchesAll() {
		return true
	}
	found := t.matchesName("mcp:server/tool") || t.matchesName("mcp__server__tool")
	tools.EachName(func(native, canonical string) {
		found = found || t.matchesName(native) || t.matchesName(canonical)
	})
	for _, n := range t.names {
		found = found || strings.HasPrefix(n, "mcp")
	}
	return found
}
