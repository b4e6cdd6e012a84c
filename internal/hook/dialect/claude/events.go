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

// rowlessEvents lists Claude's events for which checkrein has no contract. Hooks may observe them.
var rowlessEvents = [...]string{
	"Setup", "InstructionsLoaded", "UserPromptExpansion", "PermissionDenied", "PostToolBatch", "StopFailure",
	"TaskCreated", "TaskCompleted", "TeammateIdle", "MessageDisplay", "ConfigChange", "CwdChanged", "FileChanged",
	"WorktreeRemove", "Elicitation", "ElicitationResult",
}

// claudeEventName returns Claude's name for events of kind k, or "" if it has none.
func claudeEventName(k checkrein.Kind) string {
	for _, a := range checkrein.ContractOf(k).Aliases {
		if a.Dialect == dialect {
			return a.Name
		}
	}
	return ""
}

// lookupEvent returns the contract of the event that Claude calls name. If checkrein has no contract
// for it, it returns that of Other, and native is name. It returns false if Claude has no such event.
func lookupEvent(name string) (row *checkrein.Contract, native string, ok bool) {
	for k := checkrein.Other + 1; k < checkrein.NumKinds; k++ {
		if claudeEventName(k) == name && name != "" {
			return checkrein.ContractOf(k), "", true
		}
	}
	return checkrein.ContractOf(checkrein.Other), name, slices.Contains(rowlessEvents[:], name)
}

// suggestEvent returns a suggestion for the unknown event name, or "". The result certain reports
// whether name cannot be an event of a newer Claude, because it is a typo, another system's name, or
// not in camel case.
func suggestEvent(name string) (hint string, certain bool) {
	kind, known := hookfile.KindOf(name)
	if known && claudeEventName(kind) != "" {
		return `, did you mean "` + claudeEventName(kind) + `"?`, true
	}
	names := slices.Clone(rowlessEvents[:])
	for k := checkrein.Other + 1; k < checkrein.NumKinds; k++ {
		if n := claudeEventName(k); n != "" {
			names = append(names, n)
		}
	}
	certain = known || suggest.IsTypo(name, names) || !isCamelCase(name)
	return suggest.Hint(name, names), certain
}

// isCamelCase reports whether name has the form of Claude's event names, such as PreToolUse.
func isCamelCase(name string) bool {
	return name != "" && 'A' <= name[0] && name[0] <= 'Z' && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

// successCond is the condition that Claude's PostToolUse implies. Claude has another event for failed
// tools, while checkrein's post_tool_use includes them.
const successCond = `{"tool_error":{"is":false}}`

// addSuccessCond returns the condition that requires both successCond and cond, which may be nil.
func addSuccessCond(cond []byte) []byte {
	if cond == nil {
		return json.RawMessage(successCond)
	}
	var out object
	out.set("all", encodeList([][]byte{[]byte(successCond), cond}))
	return out.end()
}

// removeSuccessCond returns cond without successCond, which is either combined with it by
// addSuccessCond or one of its members. It returns false if cond does not contain it.
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

// matcherField returns checkrein's name for the field to which matchers on events of kind k apply. It
// returns "" for tool events and for events on which Claude ignores matchers.
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

// hasUnreadableMatcher reports whether Claude's matchers on the event native, which has no contract,
// apply to something that conditions cannot test.
func hasUnreadableMatcher(native string) bool {
	switch native {
	case "Setup", "InstructionsLoaded", "UserPromptExpansion", "PermissionDenied", "StopFailure", "ConfigChange", "FileChanged",
		"Elicitation", "ElicitationResult":
		return true
	}
	return false
}
