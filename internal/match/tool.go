package match

import (
	"regexp/syntax"
	"strings"

	"github.com/checkrein/checkrein"
)

// A Tool decides by a tool's name. The zero Tool matches every tool.
type Tool struct {
	names []string // plain alternatives, compared as they are
	re    *pattern // anything else; nil when names suffice
}

// CompileTool compiles a matcher: a regular expression that must match the
// whole of a tool's name, case-sensitively; "" and "*" match all.
func CompileTool(expr string) (Tool, error) {
	if expr == "" || expr == "*" {
		return Tool{}, nil
	}
	if plain(expr) {
		return Tool{names: strings.Split(expr, "|")}, nil
	}
	// Alone first: "a)|(b" is only valid with what is put around it.
	_, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return Tool{}, explain(expr, err)
	}
	p, err := newPattern(`^(?:` + expr + `)$`)
	if err != nil {
		return Tool{}, explain(expr, err)
	}
	return Tool{re: p}, nil
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
	checkrein.KnownToolNames(func(native, canonical string) {
		found = found || t.name(native) || t.name(canonical)
	})
	for _, n := range t.names {
		found = found || strings.HasPrefix(n, "mcp")
	}
	return found
}
