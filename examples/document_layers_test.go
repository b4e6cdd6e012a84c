package examples_test

import (
	"slices"
	"strings"
	"testing"
)

// What the guide of the three layers says of Claude Code's hooks, by the answers that
// it prints.

// claudeHook is a place with one hook in Claude Code's settings, which prints an answer.
func claudeHook(t *testing.T, event, answer string) *place {
	t.Helper()
	p := newPlace(t)
	p.write(t, "answer.json", answer)
	p.write(t, "settings.json", `{"hooks":{"`+event+`":[{"matcher":"Bash","hooks":[{"type":"command","command":"cat answer.json"}]}]}}`)
	return p
}

func TestGuideClaude(t *testing.T) {
	t.Parallel()
	done := payload{"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": payload{"command": "make"}, "tool_response": payload{"stdout": "a long text"}}
	for _, tt := range []struct {
		name, event, answer string
		ev                  payload
		want                func(*verdict) bool
	}{
		{"a block before the call blocks", "PreToolUse", `{ "decision": "block", "reason": "..." }`, claudeBash("make"), func(v *verdict) bool { return v.Decision == "deny" && strings.Contains(v.Reason, "...") }},
		{"a rewrite before the call counts", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"make | tail"}}}`, claudeBash("make"),
			func(v *verdict) bool { return v.UpdatedInput["command"] == "make | tail" }},
		{"context after the call lands", "PostToolUse", `{ "decision": "block", "reason": "<reduced text>", "hookSpecificOutput": { "additionalContext": "<hint>" } }`, done,
			func(v *verdict) bool { return slices.Contains(v.Context, "<hint>") }},
		{"a block after the call replaces nothing", "PostToolUse", `{ "decision": "block", "reason": "<reduced text>", "hookSpecificOutput": { "additionalContext": "<hint>" } }`, done,
			func(v *verdict) bool { return v.UpdatedText == nil && v.Decision == "" && !v.Halt }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := claudeHook(t, tt.event, tt.answer)
			if v := p.answered(t, tt.ev, "-c", "settings.json"); !tt.want(v) {
				t.Errorf("got %s", v.raw)
			}
		})
	}
}
