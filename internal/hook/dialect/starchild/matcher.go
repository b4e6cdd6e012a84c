package starchild

import (
	"regexp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// convertMatcher returns the matcher to write for the hook: its own expression, or else one for its
// conditions on tools and arguments. If no expression is certain to match whenever they hold, it
// returns "", because a guard that runs too often is better than one that does not run.
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
		if out == "" && !strings.ContainsAny(h.Args, `^$\"`) { // their meaning differs in the payload's JSON
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

// toolSearch returns an expression that finds, in a payload, the name of a tool that the matcher of h
// lists. It returns "" if the matcher is not a list of names.
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

// payloadNames returns the names that payloads have for the known tools that tool matches: starchild's
// name or, if it has none, the names of all hosts.
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

// unknownToolNames returns the spellings that hosts use for tool if it is an MCP tool or unknown. It
// returns nil for known tools, whose names payloadNames returns.
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

// splitNames splits a matcher that lists plain names. It returns false if expr is a regular expression
// or empty.
func splitNames(expr string) ([]string, bool) {
	out := strings.FieldsFunc(expr, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
	for _, n := range out {
		if n != regexp.QuoteMeta(n) {
			return nil, false
		}
	}
	return out, len(out) > 0
}
