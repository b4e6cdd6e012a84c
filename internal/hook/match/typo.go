package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// CheckTypo returns an error if the matcher expr, from which t was compiled, is probably mistyped: it
// resembles the name of a known tool, or of one in own, but does not match it. Names that resemble
// none may be right, since no list has all tools, and so may those of MCP servers.
func (t *Tool) CheckTypo(expr string, own []string) error {
	if strings.Contains(expr, "mcp") {
		return nil
	}
	matches := t.MatchesKnown() || slices.ContainsFunc(own, t.matchesName)
	if matches && len(t.names) < 2 {
		return nil
	}
	known := slices.Clone(own)
	tools.EachName(func(native, canonical string) { known = append(known, native, canonical) })
	if !matches {
		return checkUnmatched(expr, known, len(t.names) == 1)
	}
	for _, name := range t.names {
		if meant := intendedTool(name, known); meant != "" {
			return fmt.Errorf("%q: no known tool is named %q, did you mean %q?", expr, name, meant)
		}
	}
	return nil
}

// An UnmatchedError reports a matcher that matches no known tool.
type UnmatchedError struct{ Expr, hint string }

func (e *UnmatchedError) Error() string {
	return fmt.Sprintf("%q matches no known tool%s", e.Expr, e.hint)
}

// checkUnmatched returns an error if expr, which matches no known tool, is probably mistyped. If
// single is set, expr is one name.
func checkUnmatched(expr string, known []string, single bool) error {
	escaped := false
	words := strings.FieldsFunc(expr, func(r rune) bool {
		letter := escaped // the letter of an escape such as \b is not part of a name
		escaped = r == '\\' && !escaped
		return letter || r != '_' && r != '-' && !isAlphanumeric(r)
	})
	for _, w := range words {
		meant := intendedTool(w, known)
		switch {
		case meant != "" && single:
			return &UnmatchedError{expr, fmt.Sprintf(", did you mean %q?", meant)}
		case meant != "" || slices.Contains(known, w):
			return &UnmatchedError{Expr: expr}
		}
	}
	return nil
}

// intendedTool returns the tool in known of which word is probably a misspelling. It returns "" if
// word is itself in known or resembles none.
func intendedTool(word string, known []string) string {
	if slices.Contains(known, word) {
		return ""
	}
	return suggest.FindSlip(word, known)
}
