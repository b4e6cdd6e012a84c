package hookmd

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/match"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// unsaid notes what the format has no word for.
func (w *writer) unsaid(h *checkrein.Hook) {
	w.condition(h)
	lose := func(on bool, what, why, instead string) {
		if on {
			w.lose(h, what, why, instead)
		}
	}
	lose(h.Search != "", "search", "the format does not search the payload", "matcher.pattern searches the values of a tool's arguments")
	lose(h.Gate, "gate", "a rewritten subject is not judged again", "keep it in checkrein.yaml")
	lose(!h.Rewrites, "rewrites", "every script may rewrite", "")
	lose(h.Strict, "strict_output", "answers may hold anything", "")
	lose(h.Preempt, "preempt_yolo", "the format has no word for it", "none is needed: these hooks run under auto-approval anyway")
	_, boxed := rawjson.Get(h.With, "sandbox")
	lose(boxed, "sandbox", "the format has none, so the script may do what its user may", "keep it in checkrein.yaml")
	seal, _ := rawjson.Get(h.With, "sealed")
	lose(string(seal) == "true", "sealed", "the format has none, so the file can be swapped between check and run", "keep it in checkrein.yaml")
	lose(h.Off != "", "off", h.Off+"; the format has no switch", "remove the folder")
	shared := !h.Async && h.Chain == "" && w.beside[h.On] > 1
	lose(shared || h.Chain != "" && h.Chain != dialect, "chain", "these hooks run one after another, and the first that blocks ends it", "order them by priority")
	if h.Dialect != dialect {
		why := "the script hears the payload of HOOK.md instead of that of " + dialectOf(h) + ", and answers in its words"
		if checkrein.ContractOf(h.On).Plain {
			why += "; plain text that it prints is not context"
		}
		w.lose(h, "dialect", why, "let the command read both")
	}
}

// condition notes a condition that is lost. The format's event after a tool has
// one of its own.
func (w *writer) condition(h *checkrein.Hook) {
	if h.On == checkrein.PostToolUse {
		if rawjson.Equal(h.If, []byte(succeeded)) {
			return
		}
		w.lose(h, "event", "post-tool-call fires only when the tool succeeded", "a second hook on post-tool-call-failure")
	}
	if h.If != nil {
		w.lose(h, "if", "the format has no conditions", "let the script decide")
	}
}

func dialectOf(h *checkrein.Hook) string {
	if h.Dialect == "" {
		return "native"
	}
	return h.Dialect
}

// matcher returns the hook's expressions over tools and arguments.
func (w *writer) matcher(h *checkrein.Hook) (tool, pattern string) {
	if h.Match == "" && h.Args == "" {
		return "", ""
	}
	if checkrein.ContractOf(h.On).Subject != checkrein.SubjectTool {
		w.lose(h, "matcher", h.On.String()+" is not about a tool", "let the script look at the event")
		return "", ""
	}
	tool = whole(h)
	added, err := missing(h, tool)
	switch {
	case err != nil:
		w.lose(h, "matcher", err.Error(), "")
		tool = ""
	case added != nil:
		names := strings.Join(added, "|")
		w.lose(h, "matcher", dialectOf(h)+"'s names for tools are not HOOK.md's: "+names+" is added, so that it matches on every host", "remove it if that is too much")
		tool += "|" + names
	}
	return tool, h.Args
}

// whole returns the matcher as an expression over the whole name of a tool.
func whole(h *checkrein.Hook) string {
	if h.MatchBy == checkrein.MatchWhole || h.Match == "" || h.Match == "*" {
		return h.Match
	}
	list := strings.FieldsFunc(h.Match, func(c rune) bool { return c == '|' || c == ',' || c == ' ' })
	for _, s := range list {
		if strings.ContainsFunc(s, func(c rune) bool {
			return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
		}) {
			return ".*(?:" + h.Match + ").*"
		}
	}
	return strings.Join(list, "|")
}

// missing lists the format's words for tools that the matcher knows by another
// system's: a hook is matched by its own dialect's words, and loses the old
// ones with its old dialect. checkrein's own files have no words to lose.
func missing(h *checkrein.Hook, expr string) ([]string, error) {
	t, err := match.CompileTool(expr, checkrein.MatchWhole)
	if err != nil || h.Dialect == dialect || dialectOf(h) == "native" {
		return nil, err
	}
	matches := func(name string) bool { return t.Match(&checkrein.Tool{Name: name}, "") }
	var out []string
	checkrein.KnownToolNames(func(native, canonical string) {
		word := vocabulary.ToolName(canonical)
		if word != "" && matches(native) && !matches(word) && !matches(canonical) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	})
	return out, nil
}
