package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// rowless are Claude's events that checkrein has no row for: hooks may observe
// them.
var rowless = [...]string{
	"Setup", "InstructionsLoaded", "UserPromptExpansion", "PermissionDenied", "PostToolBatch", "StopFailure",
	"TaskCreated", "TaskCompleted", "TeammateIdle", "MessageDisplay", "ConfigChange", "CwdChanged", "FileChanged",
	"WorktreeRemove", "Elicitation", "ElicitationResult",
}

// nameOf is the name of a row's event in Claude-shaped files, "" when they have
// none for it.
func nameOf(k checkrein.Kind) string {
	for _, a := range checkrein.ContractOf(k).Aliases {
		if a.Dialect == dialect {
			return a.Name
		}
	}
	return ""
}

// eventNamed finds an event of a file. Native is its name when it has no row.
func eventNamed(name string) (row *checkrein.Contract, native string, ok bool) {
	for k := checkrein.Other + 1; k < checkrein.NumKinds; k++ {
		if nameOf(k) == name && name != "" {
			return checkrein.ContractOf(k), "", true
		}
	}
	return checkrein.ContractOf(checkrein.Other), name, slices.Contains(rowless[:], name)
}

// eventHint suggests what an unknown event was meant to be. Certain reports whether it
// cannot be an event of a newer Claude: it is a typo, another system's name, or not
// written as Claude's names are.
func eventHint(name string) (hint string, certain bool) {
	kind, known := checkrein.KindOf(name)
	if known && nameOf(kind) != "" {
		return `, did you mean "` + nameOf(kind) + `"?`, true
	}
	names := slices.Clone(rowless[:])
	for k := checkrein.Other + 1; k < checkrein.NumKinds; k++ {
		if n := nameOf(k); n != "" {
			names = append(names, n)
		}
	}
	certain = known || suggest.IsTypo(name, names) || !isCamel(name)
	return suggest.Hint(name, names), certain
}

// isCamel reports whether a name is written as Claude writes its events: PreToolUse.
func isCamel(name string) bool {
	return name != "" && 'A' <= name[0] && name[0] <= 'Z' && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

// succeeded is the condition that Claude's PostToolUse implies: tools that failed
// have an event of their own there, and checkrein's post_tool_use is both.
const succeeded = `{"tool_error":{"is":false}}`

// whenSucceeded adds it to a condition.
func whenSucceeded(cond json.RawMessage) json.RawMessage {
	if cond == nil {
		return json.RawMessage(succeeded)
	}
	var out object
	out.set("all", list([][]byte{[]byte(succeeded), cond}))
	return out.end()
}

// unlessSucceeded takes it out of a condition again, be it as it was added or as
// a member of its own; false when it is in neither place.
func unlessSucceeded(cond json.RawMessage) (rest json.RawMessage, ok bool) {
	var parts [][]byte
	all, _ := rawjson.Get(cond, "all")
	rawjson.Elements(all, func(_ int, v []byte) bool { parts = append(parts, v); return true })
	if len(parts) == 2 && rawjson.Equal(cond, whenSucceeded(parts[1])) {
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

// matched is the field that the matcher of an event is about, in checkrein's
// words. It is "" for tool events, and for events whose matcher Claude ignores.
func matched(k checkrein.Kind) string {
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

// matchedElsewhere reports whether Claude's matcher on an event without a row
// is about something that conditions cannot see there.
func matchedElsewhere(native string) bool {
	switch native {
	case "Setup", "InstructionsLoaded", "UserPromptExpansion", "PermissionDenied", "StopFailure", "ConfigChange", "FileChanged",
		"Elicitation", "ElicitationResult":
		return true
	}
	return false
}
