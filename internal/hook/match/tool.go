package match

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Tool decides by a tool's name. The zero Tool matches every tool.
type Tool struct {
	names []string // plain alternatives, compared as they are
	re    *pattern // anything else; nil when names suffice
}

// CompileTool compiles a matcher; "" and "*" match all. Read by the whole, it
// is a regular expression that must match the whole of a tool's name. Read by
// words, names separated by commas or bars are exact names, and anything else
// is an expression that must be found in one. Case counts. A dot is any character,
// a line's end too: a tool whose name has one must not slip through ".*".
func CompileTool(expr string, by checkrein.MatchRule) (Tool, error) {
	if expr == "" || expr == "*" {
		return Tool{}, nil
	}
	switch names, listed := words(expr); {
	case by == checkrein.MatchWords && listed:
		return Tool{names: names}, nil
	case by == checkrein.MatchWhole && plain(expr):
		return Tool{names: strings.Split(expr, "|")}, nil
	}
	_, err := newPattern(expr) // also alone: "a)|(b" is only valid with what is put around it
	var p *pattern
	switch {
	case err != nil:
	case by == checkrein.MatchWhole:
		p, err = newPattern(`(?s)^(?:` + expr + `)$`)
	default:
		p, err = newPattern(`(?s)` + expr)
	}
	if err != nil {
		return Tool{}, explain(expr, err)
	}
	return Tool{re: p}, nil
}

// words splits a list of plain names; false when it is an expression.
func words(expr string) ([]string, bool) {
	var out []string
	for _, w := range strings.FieldsFunc(expr, func(r rune) bool { return r == '|' || r == ',' || r == ' ' }) {
		if strings.ContainsFunc(w, func(r rune) bool { return r != '_' && r != '-' && !isWord(r) }) {
			return nil, false
		}
		out = append(out, w)
	}
	return out, len(out) > 0
}

func isWord(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// A Search is an expression that must be found somewhere. The zero Search is
// found everywhere.
type Search struct{ re *pattern }

// CompileSearch compiles an expression; "" is found everywhere.
func CompileSearch(expr string) (Search, error) {
	if expr == "" {
		return Search{}, nil
	}
	p, err := newPattern(expr)
	if err != nil {
		return Search{}, explain(expr, err)
	}
	return Search{p}, nil
}

// IsZero reports whether it is found everywhere.
func (s *Search) IsZero() bool { return s.re == nil }

// Found reports whether the expression is found in a text.
func (s *Search) Found(text string) bool { return s.re == nil || s.re.match(text) }

// FoundIn reports whether it is found in any text of a JSON value.
func (s *Search) FoundIn(val []byte) bool {
	if s.re == nil {
		return true
	}
	found := false
	rawjson.Strings(val, func(text string) bool {
		found = s.re.match(text)
		return !found
	})
	return found
}

// plain reports whether expr is a list of names: nothing in it has a meaning
// in a regular expression, alternation aside. mcp:server/tool is such a name.
func plain(expr string) bool {
	return !strings.ContainsAny(expr, `\.+*?()[]{}^$`) && !strings.Contains("|"+expr+"|", "||")
}

// All reports whether every tool matches.
func (t *Tool) All() bool { return t.names == nil && t.re == nil }

// Match reports whether the matcher accepts the tool under its host's name,
// its canonical name, or the name that the hook's dialect has for it ("" =
// none). Without a tool only a matcher that accepts everything does.
func (t *Tool) Match(tool *checkrein.Tool, local string) bool {
	if t.All() {
		return true
	}
	if tool == nil {
		return false
	}
	return t.name(tool.Name) || t.name(tool.Canonical) || t.name(local)
}

func (t *Tool) name(s string) bool {
	if s == "" {
		return false
	}
	if t.re != nil {
		return t.re.match(s)
	}
	for _, n := range t.names {
		if n == s {
			return true
		}
	}
	return false
}

// MatchesKnown reports whether the matcher accepts any tool that checkrein
// knows. One that accepts none is probably a mistake.
func (t *Tool) MatchesKnown() bool {
	if t.All() {
		return true
	}
	found := t.name("mcp:server/tool") || t.name("mcp__server__tool")
	tools.EachName(func(native, canonical string) {
		found = found || t.name(native) || t.name(canonical)
	})
	for _, n := range t.names {
		found = found || strings.HasPrefix(n, "mcp")
	}
	return found
}
