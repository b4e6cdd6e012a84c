package claude

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// matcherAndRule returns the matcher and the permission rule that select the calls of h, and records
// what they cannot express.
func (w *writer) matcherAndRule(h *checkrein.Hook) (matcher, rule string) {
	tool := checkrein.ContractOf(h.On).Subject == checkrein.SubjectTool
	if tool {
		matcher = w.toolMatcher(h)
	}
	cond, added := h.If, false
	if h.On == checkrein.PostToolUse {
		rest, ok := removeSuccessCond(cond)
		if cond, added = rest, !ok; added {
			w.addLoss(h, "event", "PostToolUse fires only if the tool succeeded", "a second hook on PostToolUseFailure")
		}
	}
	if string(cond) == neverCond && !tool {
		return "", "Never" // readRule turns any rule on this event into neverCond
	}
	rule, ok := "", len(cond) == 0
	if tool && !ok {
		rule, ok = condRule(cond)
	} else if field := matcherField(h.On); field != "" && !ok {
		matcher, ok = fieldMatcher(field, cond)
	}
	switch {
	case ok && added:
		w.addLoss(h, "if", "Claude also requires that the tool succeeded", "")
		return matcher, rule
	case ok:
		return matcher, rule
	case !tool:
		matcher = ""
	}
	w.addLoss(h, "if", "Claude has no such condition, so the hook runs without it", "check this in the hook")
	return matcher, ""
}

// toolMatcher returns Claude's matcher for the tools that h matches.
func (w *writer) toolMatcher(h *checkrein.Hook) string {
	switch {
	case h.Match == "*":
		return ""
	case h.Match == "" || h.MatchWords:
		return h.Match
	}
	if names, ok := translateNames(h.Match); ok {
		return names
	}
	m, err := match.CompileTool(h.Match, false)
	if err != nil {
		w.addLoss(h, "matcher", err.Error(), "")
		return ""
	}
	parts := []string{h.Match}
	for _, name := range claudeTools { // add tools that the matcher accepts by their canonical names
		canonical := tools.CanonicalTool(name)
		if m.Match(&checkrein.Tool{Name: name, Canonical: canonical}, "") && !m.Match(&checkrein.Tool{Name: name}, "") {
			parts = append(parts, name)
		}
	}
	if strings.Contains(h.Match, "mcp:") {
		w.addLoss(h, "matcher", "Claude calls mcp:server/tool mcp__server__tool", "write mcp__server__.*")
	}
	if !isPortableRegex(h.Match) {
		w.addLoss(h, "matcher", "Claude uses JavaScript regular expressions, which spell this differently", "list the tool names")
	}
	return `^(?:` + strings.Join(parts, "|") + `)$`
}

// translateNames returns expr, a list of plain tool names, with Claude's names. It returns false if
// expr is a regular expression or a name has none that is plain in Claude.
func translateNames(expr string) (string, bool) {
	var out []string
	plain := true
	for name := range strings.SplitSeq(expr, "|") {
		if name == "" || strings.ContainsAny(name, `\.+*?()[]{}^$`) {
			return "", false
		}
		for _, own := range claudeToolNames(name) {
			plain = plain && isPlainName(own)
			if !slices.Contains(out, own) {
				out = append(out, own)
			}
		}
	}
	if !plain {
		return `^(?:` + strings.Join(out, "|") + `)$`, true
	}
	return strings.Join(out, "|"), true
}

// claudeToolNames returns Claude's names for the tool that some system calls name.
func claudeToolNames(name string) []string {
	canonical := tools.CanonicalTool(name)
	if slices.Contains(claudeTools[:], name) || canonical == "" {
		return []string{name}
	}
	if mcp := mcpName(canonical); mcp != "" {
		return []string{mcp}
	}
	var out []string
	for _, own := range claudeTools {
		if tools.CanonicalTool(own) == canonical {
			out = append(out, own)
		}
	}
	if out == nil {
		out = []string{name}
	}
	return out
}

// isPortableRegex reports whether the regular expression expr means the same in JavaScript.
func isPortableRegex(expr string) bool {
	for _, foreign := range [...]string{`\Q`, `\A`, `\z`, `\C`, `\p`, `\P`, `\a`, `\x{`, `[[:`, `[]`, `[^]`} {
		if strings.Contains(expr, foreign) {
			return false
		}
	}
	return strings.Count(expr, "(?") == strings.Count(expr, "(?:")
}
