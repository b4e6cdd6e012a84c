package hookmd

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// addLosses records a loss for each property of h that the format cannot express.
func (w *writer) addLosses(h *checkrein.Hook) {
	w.addConditionLoss(h)
	lose := func(on bool, what, why, instead string) {
		if on {
			w.addLoss(h, what, why, instead)
		}
	}
	lose(h.Search != "", "search", "the format cannot match on the payload", "matcher.pattern, which searches the values of a tool's arguments")
	lose(h.Gate, "gate", "a rewritten call or text is not checked again", "keep it in checkrein.yaml")
	lose(!h.Rewrites, "rewrites", "every script may rewrite", "")
	lose(h.Strict, "strict_output", "answers may contain anything", "")
	lose(h.Preempt, "preempt_yolo", "the format has no key for this", "nothing: these hooks run under auto-approval anyway")
	_, boxed := rawjson.Get(h.With, "sandbox")
	lose(boxed, "sandbox", "the format has no sandbox, so the script has all the rights of its user", "keep it in checkrein.yaml")
	seal, _ := rawjson.Get(h.With, "sealed")
	lose(string(seal) == "true", "sealed", "the format cannot seal a file, so it can be replaced between the check and the run", "keep it in checkrein.yaml")
	_, declares := rawjson.Get(h.With, "files")
	lose(declares, "files", "the format cannot name further files that an approval covers", "put them into the folder's scripts directory")
	lose(h.Off != "", "off", h.Off+"; the format cannot switch hooks off", "remove the folder")
	shared := !h.Async && h.Chain == "" && w.syncHooks[h.On] > 1
	lose(shared || h.Chain != "" && h.Chain != dialect, "chain", "in this format, hooks run one after another, and once one blocks, the rest are skipped", "set their order with priority")
	if h.Dialect != dialect {
		why := "the script gets the HOOK.md payload instead of the one for " + dialectName(h) + ", and must answer in the HOOK.md format"
		if checkrein.ContractOf(h.On).Plain {
			why += "; plain text on stdout does not become context"
		}
		w.addLoss(h, "dialect", why, "make the command accept both")
	}
}

// addConditionLoss records the loss of the condition of h. On post_tool_use, successCond is not lost,
// because the format's event implies it.
func (w *writer) addConditionLoss(h *checkrein.Hook) {
	if h.On == checkrein.PostToolUse {
		if rawjson.Equal(h.If, []byte(successCond)) {
			return
		}
		w.addLoss(h, "event", "post-tool-call fires only if the tool succeeded", "a second hook on post-tool-call-failure")
	}
	if h.If != nil {
		w.addLoss(h, "if", "the format has no conditions", "check this in the script")
	}
}

// dialectName returns the name of the dialect of h.
func dialectName(h *checkrein.Hook) string {
	if h.Dialect == "" {
		return "native"
	}
	return h.Dialect
}

// convertMatcher returns the regular expressions for the tools and the arguments of h, and records
// what they cannot express.
func (w *writer) convertMatcher(h *checkrein.Hook) (tool, pattern string) {
	if h.Match == "" && h.Args == "" {
		return "", ""
	}
	if checkrein.ContractOf(h.On).Subject != checkrein.SubjectTool {
		w.addLoss(h, "matcher", h.On.String()+" is not a tool event", "check the event in the script")
		return "", ""
	}
	tool = wholeNameMatcher(h)
	added, err := missingNames(h, tool)
	switch {
	case err != nil:
		w.addLoss(h, "matcher", err.Error(), "")
		tool = ""
	case added != nil:
		names := strings.Join(added, "|")
		w.addLoss(h, "matcher", dialectName(h)+"'s tool names differ from HOOK.md's: "+names+" was added, so that the matcher works with every agent", "remove the names you do not need")
		tool += "|" + names
	}
	return tool, h.Args
}

// wholeNameMatcher returns the matcher of h as a regular expression that matches whole tool names.
func wholeNameMatcher(h *checkrein.Hook) string {
	if !h.MatchWords || h.Match == "" || h.Match == "*" {
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

// missingNames returns the format's names for tools that expr, the matcher of h, matches only by names
// of the hook's present dialect. A hook is matched by the names of its dialect, so a converted hook
// would no longer match those tools. Hooks of checkrein's own files lose no names.
func missingNames(h *checkrein.Hook, expr string) ([]string, error) {
	t, err := match.CompileTool(expr, false)
	if err != nil || h.Dialect == dialect || dialectName(h) == "native" {
		return nil, err
	}
	matches := func(name string) bool { return t.Match(&checkrein.Tool{Name: name}, "") }
	var out []string
	tools.EachName(func(native, canonical string) {
		word := vocabulary.ToolName(canonical)
		if word != "" && matches(native) && !matches(word) && !matches(canonical) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	})
	return out, nil
}
