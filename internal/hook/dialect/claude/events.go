package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// rowlessEvents are Claude's events that checkrein has no row for: hooks may observe them.
var rowlessEvents = [...]string{
	"Setup", "InstructionsLoaded", "UserPromptExpansion", "PermissionDenied", "PostToolBatch", "StopFailure",
	"TaskCreated", "TaskCompleted", "TeammateIdle", "MessageDisplay", "ConfigChange", "CwdChanged", "FileChanged",
	"WorktreeRemove", "Elicitation", "ElicitationResult",
}

// claudeEvent returns the name of a row's event in Claude-shaped files; "" if they have none.
func claudeEvent(k checkrein.Kind) string {
	for _, a := range checkrein.ContractOf(k).Aliases {
		if a.Dialect == dialect {
			return a.Name
		}
	}
	return ""
}

// lookupEvent returns the row of an event in a file. Native is its name if it has no row.
func lookupEvent(name string) (row *checkrein.Contract, native string, ok bool) {
	for k := checkrein.Other + 1; k < checkrein.NumKinds; k++ {
		if claudeEvent(k) == name && name != "" {
			return checkrein.ContractOf(k), "", true
		}
	}
	return checkrein.ContractOf(checkrein.Other), name, slices.Contains(rowlessEvents[:], name)
}

// eventHint returns a suggestion for an unknown event. Certain reports whether it cannot be an event
// of a newer Claude: it is a typo, another system's name, or not in the form of Claude's names.
func eventHint(name string) (hint string, certain bool) {
	kind, known := hookfile.KindOf(name)
	if known && claudeEvent(kind) != "" {
		return `, did you mean "` + claudeEvent(kind) + `"?`, true
	}
	names := slices.Clone(rowlessEvents[:])
	for k := checkrein.Other + 1; k < checkrein.NumKinds; k++ {
		if n := claudeEvent(k); n != "" {
			names = append(names, n)
		}
	}
	certain = known || suggest.IsTypo(name, names) || !isCamel(name)
	return suggest.Hint(name, names), certain
}

// isCamel reports whether a name has the form of Claude's events: PreToolUse.
func isCamel(name string) bool {
	return name != "" && 'A' <= name[0] && name[0] <= 'Z' && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

// successCond is the condition that Claude's PostToolUse implies: failed tools have an event of their
// own there, while checkrein's post_tool_use covers both.
const successCond = `{"tool_error":{"is":false}}`

// addSuccessCond adds successCond to a condition.
func addSuccessCond(cond []byte) []byte {
	if cond == nil {
		return json.RawMessage(successCond)
	}
	var out object
	out.set("all", encodeList([][]byte{[]byte(successCond), cond}))
	return out.end()
}

// removeSuccessCond removes successCond from a condition, either as addSuccessCond added it or as a
// member; ok is false if it is in neither place.
func removeSuccessCond(cond []byte) (rest []byte, ok bool) {
	var parts [][]byte
	all, _ := rawjson.Get(cond, "all")
	rawjson.Elements(all, func(_ int, v []byte) bool { parts = append(parts, v); return true })
	if len(parts) == 2 && rawjson.Equal(cond, addSuccessCond(parts[1])) {
		return parts[1], true
	}
	var members object
	rawjson.Each(cond, func(key string, val []byte) bool {
		if key == "tool_error" && rawjson.Equal(val, []byte(`{"is":false}`)) {
			ok = true
		} else {
			members.set(key, val)
		}
		return true
	})
	switch {
	case !ok:
		return cond, false
	case len(members) == 0:
		return nil, true
	}
	return members.end(), true
}

// matcherField returns checkrein's name of the field that the matcher of an event applies to. It is ""
// for tool events, and for events whose matcher Claude ignores.
func matcherField(k checkrein.Kind) string {
	switch k {
	case checkrein.SessionStart, checkrein.PreCompact, checkrein.AfterCompaction:
		return "source"
	case checkrein.SessionEnd:
		return "reason"
	case checkrein.Notification:
		return "notification_type"
	case checkrein.SubagentStart, checkrein.SubagentStop:
		return "subagent_type"
	}
	return ""
}

// hasUnreadableMatcher reports whether Claude's matcher on an event without a row applies to something
// that conditions cannot test.
func hasUnreadableMatcher(native string) bool {
	switch native {
	case "Setup", "InstructionsLoaded", "UserPromptExpansion", "PermissionDenied", "StopFailure", "ConfigChange", "FileChanged",
		"Elicitation", "ElicitationResult":
		return true
	}
	return false
}
