package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// Doubt returns what is probably a mistake in the matcher expr, to be read behind it, or
// "" where there is none: it resembles the name of a known tool, or of one in own, and
// does not match it. Names that resemble none, and those of MCP servers, may be right: no
// list has all tools.
func (t *Tool) Doubt(expr string, own []string) string {
	if strings.Contains(expr, "mcp") {
		return ""
	}
	matches := t.MatchesKnown() || slices.ContainsFunc(own, t.name)
	if matches && len(t.names) < 2 {
		return ""
	}
	known := slices.Clone(own)
	checkrein.KnownToolNames(func(native, canonical string) { known = append(known, native, canonical) })
	if !matches {
		return doubtUnmatched(expr, known, len(t.names) == 1)
	}
	for _, name := range t.names {
		if meant := typo(name, known); meant != "" {
			return fmt.Sprintf(": no known tool is named %q, did you mean %q?", name, meant)
		}
	}
	return ""
}

// doubtUnmatched is Doubt for a matcher that matches no known tool; with single, it is one
// name.
func doubtUnmatched(expr string, known []string, single bool) string {
	const what = " matches no known tool"
	escaped := false
	words := strings.FieldsFunc(expr, func(r rune) bool {
		letter := escaped // such as the b of \b, which is no part of a name
		escaped = r == '\\' && !escaped
		return letter || r != '_' && r != '-' && !isWord(r)
	})
	for _, w := range words {
		meant := typo(w, known)
		switch {
		case meant != "" && single:
			return fmt.Sprintf("%s, did you mean %q?", what, meant)
		case meant != "" || slices.Contains(known, w):
			return what
		}
	}
	return ""
}

// typo returns the known tool whose name word is with one slip in it, "" where word is a
// known tool itself or resembles none.
func typo(word string, known []string) string {
	if slices.Contains(known, word) {
		return ""
	}
	return suggest.Slip(word, known)
}
