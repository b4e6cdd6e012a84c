package starchild

import (
	"regexp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// matcher is the expression to write for a hook: its own, or else the nearest
// to its conditions on tools and arguments. Where nothing is sure to be found
// whenever they hold there is none, for a guard that runs too often is better
// than one that does not run.
func (w *writer) matcher() string {
	h := w.hook
	out := h.Search
	if _, err := match.CompileSearch(out); err != nil {
		w.lose("search", "", "the expression is not valid: %v", err)
		out = ""
	}
	if !everyTool(h.Match) {
		var instead string
		if out == "" {
			out = toolSearch(h)
			instead = asMatcher(out)
		}
		w.lose("matcher", instead, "starchild matches on the whole payload, not on tool names")
	}
	if h.Args != "" {
		var instead string
		if out == "" && !strings.ContainsAny(h.Args, `^$\"`) { // which JSON has or spells otherwise
			out = h.Args
			instead = asMatcher(out)
		}
		w.lose("pattern", instead, "starchild matches on the whole payload, not only on the arguments")
	}
	return out
}

func asMatcher(expr string) string {
	if expr == "" {
		return ""
	}
	return "matcher: " + scalar(expr)
}

func everyTool(expr string) bool {
	return slices.Contains([]string{"", "*", ".*", ".+"}, expr)
}

// toolSearch finds a tool's name in the payload: in starchild's words, for the
// tools that the hook's matcher lists under any name. An expression over names is not
// translated.
func toolSearch(h *checkrein.Hook) string {
	listed, ok := nameList(h.Match)
	tool, err := match.CompileTool(h.Match, h.MatchBy)
	if !ok || err != nil {
		return ""
	}
	alternatives := own(&tool)
	for _, n := range listed {
		alternatives = append(alternatives, spellings(n)...)
	}
	return `"tool_name": ?"(?:` + strings.Join(alternatives, "|") + `)"`
}

// own lists what the known tools that a matcher accepts are called in payloads:
// starchild's word, or where it has none every host's.
func own(tool *match.Tool) []string {
	var accepted, out []string
	tools.EachName(func(native, canonical string) {
		if tool.Match(&checkrein.Tool{Name: native, Canonical: canonical}, "") {
			accepted = append(accepted, canonical)
		}
	})
	tools.EachName(func(native, canonical string) {
		word := toolName(canonical)
		if word == "" {
			word = native
		}
		if slices.Contains(accepted, canonical) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	})
	return out
}

// spellings lists how hosts write the name of a tool that own does not know.
func spellings(tool string) []string {
	canonical := tools.Canonical(tool)
	rest, mcp := strings.CutPrefix(canonical, "mcp:")
	switch {
	case mcp:
		server, t, _ := strings.Cut(rest, "/")
		return []string{canonical, "mcp__" + server + "__" + t, "mcp_" + server + "_" + t}
	case canonical == "":
		return []string{tool}
	}
	return nil
}

// nameList splits a matcher that lists plain names; false when it is an
// expression.
func nameList(expr string) ([]string, bool) {
	out := strings.FieldsFunc(expr, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
	for _, n := range out {
		if n != regexp.QuoteMeta(n) {
			return nil, false
		}
	}
	return out, len(out) > 0
}
