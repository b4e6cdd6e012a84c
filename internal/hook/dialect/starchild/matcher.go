package starchild

import (
	"regexp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// convertMatcher returns the expression to write for a hook: its own, or else the closest one to its
// conditions on tools and arguments. If no expression is sure to match whenever they hold, it returns
// "": a guard that runs too often is better than one that does not run.
func (w *writer) convertMatcher() string {
	h := w.hook
	out := h.Search
	if _, err := match.CompileSearch(out); err != nil {
		w.addLoss("search", "", "the expression is not valid: %v", err)
		out = ""
	}
	if !matchesEveryTool(h.Match) {
		var instead string
		if out == "" {
			out = toolSearch(h)
			instead = matcherLine(out)
		}
		w.addLoss("matcher", instead, "starchild matches on the whole payload, not on tool names")
	}
	if h.Args != "" {
		var instead string
		if out == "" && !strings.ContainsAny(h.Args, `^$\"`) { // these differ in the JSON of the payload
			out = h.Args
			instead = matcherLine(out)
		}
		w.addLoss("pattern", instead, "starchild matches on the whole payload, not only on the arguments")
	}
	return out
}

func matcherLine(expr string) string {
	if expr == "" {
		return ""
	}
	return "matcher: " + formatScalar(expr)
}

func matchesEveryTool(expr string) bool {
	return slices.Contains([]string{"", "*", ".*", ".+"}, expr)
}

// toolSearch returns an expression that finds a tool's name in the payload: starchild's names of the
// tools that the hook's matcher lists by any name. An expression is not translated.
func toolSearch(h *checkrein.Hook) string {
	listed, ok := splitNames(h.Match)
	tool, err := match.CompileTool(h.Match, h.MatchWords)
	if !ok || err != nil {
		return ""
	}
	alternatives := payloadNames(&tool)
	for _, n := range listed {
		alternatives = append(alternatives, unknownToolNames(n)...)
	}
	return `"tool_name": ?"(?:` + strings.Join(alternatives, "|") + `)"`
}

// payloadNames returns the names that payloads have for the known tools that a matcher accepts:
// starchild's name, or if it has none every host's.
func payloadNames(tool *match.Tool) []string {
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

// unknownToolNames returns the forms in which hosts write the name of a tool that payloadNames does
// not cover.
func unknownToolNames(tool string) []string {
	canonical := tools.CanonicalTool(tool)
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

// splitNames splits a matcher that lists plain names; false if it is an expression.
func splitNames(expr string) ([]string, bool) {
	out := strings.FieldsFunc(expr, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
	for _, n := range out {
		if n != regexp.QuoteMeta(n) {
			return nil, false
		}
	}
	return out, len(out) > 0
}
