package claude

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// when is the matcher and the rule that say when a hook runs.
func (w *writer) when(h *checkrein.Hook) (matcher, rule string) {
	tool := checkrein.ContractOf(h.On).Subject == checkrein.SubjectTool
	if tool {
		matcher = w.matcher(h)
	}
	cond, added := h.If, false
	if h.On == checkrein.PostToolUse {
		rest, ok := unlessSucceeded(cond)
		if cond, added = rest, !ok; added {
			w.lose(h, "event", "PostToolUse fires only if the tool succeeded", "a second hook on PostToolUseFailure")
		}
	}
	if string(cond) == never && !tool {
		return "", "Never" // any rule will do: see [entry.rule]
	}
	rule, ok := "", len(cond) == 0
	if tool && !ok {
		rule, ok = ruleOf(cond)
	} else if field := matched(h.On); field != "" && !ok {
		matcher, ok = fieldMatcher(field, cond)
	}
	switch {
	case ok && added:
		w.lose(h, "if", "Claude also requires that the tool succeeded", "")
		return matcher, rule
	case ok:
		return matcher, rule
	case !tool:
		matcher = ""
	}
	w.lose(h, "if", "Claude has no such condition, so the hook runs without it", "check this in the hook")
	return matcher, ""
}

// matcher is Claude's for the tools that a hook is about.
func (w *writer) matcher(h *checkrein.Hook) string {
	switch {
	case h.Match == "*":
		return ""
	case h.Match == "" || h.MatchBy == checkrein.MatchWords:
		return h.Match
	}
	if names, ok := ownNames(h.Match); ok {
		return names
	}
	m, err := match.CompileTool(h.Match, checkrein.MatchWhole)
	if err != nil {
		w.lose(h, "matcher", err.Error(), "")
		return ""
	}
	parts := []string{h.Match}
	for _, name := range claudeTools { // which it accepts under checkrein's names
		canonical := tools.Canonical(name)
		if m.Match(&checkrein.Tool{Name: name, Canonical: canonical}, "") && !m.Match(&checkrein.Tool{Name: name}, "") {
			parts = append(parts, name)
		}
	}
	if strings.Contains(h.Match, "mcp:") {
		w.lose(h, "matcher", "Claude calls mcp:server/tool mcp__server__tool", "write mcp__server__.*")
	}
	if !common(h.Match) {
		w.lose(h, "matcher", "Claude uses JavaScript regular expressions, which spell this differently", "list the tool names")
	}
	return `^(?:` + strings.Join(parts, "|") + `)$`
}

// ownNames writes a list of plain names in Claude's words; false for an
// expression.
func ownNames(expr string) (string, bool) {
	var out []string
	plain := true
	for name := range strings.SplitSeq(expr, "|") {
		if name == "" || strings.ContainsAny(name, `\.+*?()[]{}^$`) {
			return "", false
		}
		for _, own := range namesFor(name) {
			plain = plain && isWord(own)
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

// namesFor are Claude's names for what some system calls name.
func namesFor(name string) []string {
	canonical := tools.Canonical(name)
	if slices.Contains(claudeTools[:], name) || canonical == "" {
		return []string{name}
	}
	if mcp := mcpName(canonical); mcp != "" {
		return []string{mcp}
	}
	var out []string
	for _, own := range claudeTools {
		if tools.Canonical(own) == canonical {
			out = append(out, own)
		}
	}
	if out == nil {
		out = []string{name}
	}
	return out
}

// common reports whether an expression means the same in JavaScript.
func common(expr string) bool {
	for _, foreign := range [...]string{`\Q`, `\A`, `\z`, `\C`, `\p`, `\P`, `\a`, `\x{`, `[[:`, `[]`, `[^]`} {
		if strings.Contains(expr, foreign) {
			return false
		}
	}
	return strings.Count(expr, "(?") == strings.Count(expr, "(?:")
}
