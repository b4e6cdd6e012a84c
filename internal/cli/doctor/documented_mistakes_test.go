//go:build unix

package doctor

import (
	"testing"
)

// Doctor finds the mistakes in hooks that the documentation warns of.
func TestDocumentedMistakesAreFound(t *testing.T) {
	t.Parallel()
	starchild := func(event, answer string) map[string]string {
		return map[string]string{
			"shell_hooks.yaml": "hooks:\n  - {event: " + event + ", command: $ROOT/x.sh}\n",
			"x.sh":             "#!/bin/sh\ncat >/dev/null\necho '" + answer + "'\n",
		}
	}
	agent := func(event, command string) map[string]string {
		return map[string]string{"agent.yaml": "agents:\n  root:\n    hooks:\n      " + event + ":\n        - type: command\n          command: |\n            " + command + "\n"}
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		file  string
		id    string
		level Level
		what  string
	}{
		{"a rewrite where only a redo counts", starchild("on_stop", `{"response":"better"}`), "shell_hooks.yaml", "ignored", Warn, "response"},
		{"a redo where only a rewrite counts", starchild("on_response_end", `{"decision":"block","reason":"redo"}`), "shell_hooks.yaml", "event-cannot", Error, "deny"},
		{"context where nobody reads it", starchild("pre_tool_call", `{"context":"be careful"}`), "shell_hooks.yaml", "ignored", Warn, "context"},
		{"a judge that is not understood", starchild("pre_tool_call", `{"decision":"perhaps"}`), "shell_hooks.yaml", "bad-json", Error, "perhaps"},
		{"words instead of JSON", starchild("pre_tool_call", "looks fine"), "shell_hooks.yaml", "not-json", Error, "looks fine"},
		{"another system's event", map[string]string{"shell_hooks.yaml": "hooks:\n  - {event: PreToolUse, command: /bin/true}\n"}, "shell_hooks.yaml", "unknown-event", Error, "it is called pre_tool_call"},
		{"jq is not installed", map[string]string{"agent.yaml": "agents:\n  root:\n    hooks:\n      pre_tool_use:\n        - matcher: shell\n          hooks:\n            - type: command\n              command: |\n                CMD=$(no-such-jq -r '.tool_input.cmd // \"\"')\n                if [ \"$CMD\" = bad ]; then exit 2; fi\n"},
			"agent.yaml", "missing", Error, "continues without it"},
		{"an unknown context limit", agent("before_compaction", `echo $((100 / $(sed 's/.*"context_limit"://; s/[,}].*//'))) >&2`), "agent.yaml", "exit-code", Error, ""},
		{"a veto of a compaction", agent("pre_compact", "exit 2"), "agent.yaml", "overflow-veto", Warn, "context is full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t, tt.files)
			if tt.id != "unknown-event" {
				p.approve(tt.file)
			}
			wantFinding(t, p.checkHooks(nil, tt.file), tt.id, tt.level, tt.what)
		})
	}
}
