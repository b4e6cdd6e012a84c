package match

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Tool is a compiled matcher of tool names. The zero Tool matches every tool.
type Tool struct {
	names []string // exact names
	re    *pattern // a regular expression; nil if names is used
}

// CompileTool compiles the matcher expr; "" and "*" match all tools. If matchBy is
// [checkrein.MatchWhole], expr is a regular expression that must match the whole name of a tool. If
// it is [checkrein.MatchWords], names separated by commas or bars are exact names, and anything
// else is a regular expression that must match a part of the name. Matching is case-sensitive. A
// dot also matches a newline, so that ".*" matches a tool name that contains one.
func CompileTool(expr string, matchBy bool) (Tool, error) {
	if expr == "" || expr == "*" {
		return Tool{}, nil
	}
	switch names, listed := splitNames(expr); {
	case matchBy && listed:
		return Tool{names: names}, nil
	case !matchBy && isNameList(expr):
		return Tool{names: strings.Split(expr, "|")}, nil
	}
	_, err := newPattern(expr) // "a)|(b" must be invalid, although it is valid inside the text below
	var p *pattern
	switch {
	case err != nil:
	case !matchBy:
		p, err = newPattern(`(?s)^(?:` + expr + `)$`)
	default:
		p, err = newPattern(`(?s)` + expr)
	}
	if err != nil {
		return Tool{}, explainPattern(expr, err)
	}
	return Tool{re: p}, nil
}

// splitNames splits a list of plain names separated by bars, commas or spaces. It returns false if
// expr has other characters or no names.
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

// A Search is a regular expression that must match a part of a text. The zero Search matches every
// text.
type Search struct{ re *pattern }

// CompileSearch compiles the regular expression expr; "" matches every text.
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
	rawjson.EachStringValue(val, func(text string) bool {
		found = s.re.matches(text)
		return !found
	})
	return found
}

// isNameList reports whether expr is one name or several separated by bars, without characters that
// are special in a regular expression. mcp:server/tool is such a name.
func isNameList(expr string) bool {
	return !strings.ContainsAny(expr, `\.+*?()[]{}^$`) && !strings.Contains("|"+expr+"|", "||")
}

// MatchesAll reports whether every tool matches.
func (t *Tool) MatchesAll() bool { return t.names == nil && t.re == nil }

// Match reports whether t matches the tool's name at its host, its canonical name, or local, which is
// its name in the hook's dialect or "". If tool is nil, only a matcher of all tools matches.
func (t *Tool) Match(tool *checkrein.Tool, local string) bool {
	if t.MatchesAll() {
		return true
	}
	if tool == nil {
		return false
	}
	return t.matchesName(tool.Name) || t.matchesName(tool.Canonical) || t.matchesName(local)
}

// matchesName reports whether t matches the name s. An empty name does not match.
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

// MatchesKnown reports whether t matches any known tool or a tool of an MCP server. A matcher that
// does not is probably a mistake.
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
