// Package claude implements the wire of Claude Code.
//
// Claude Code reads JSON at any exit code. If a single value has the wrong type, or hookEventName
// names another event, it discards the whole answer and runs the tool. So every answer is one JSON
// object at exit code 0, with only the keys that Claude Code honours on that event.
package claude

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is Claude Code.
var Host = wire.Host{
	Name: "claude", Title: "Claude Code", Version: "2.1.325", Mark: wire.Observed,
	CommandVars: []string{"CLAUDECODE"}, // observed with the value 1
	About:       "Hooks go in settings.json. Hooks from all sources are combined and run in parallel. If a hook fails, hangs or is missing, the tool runs anyway.",
	Asks:        wire.Asks{Reach: wire.AtTerminal, NoAskOptions: []string{"-p", "--print"}, EditorArgs: []string{"--permission-prompt-tool", "stdio"}},
	Waits:       600 * time.Second,
	Events:      events, Quirks: quirks,
	Read: read, Encode: encode,
	ReportsRunInput: true, // observed
	HidesRewrites:   true, // see rewrite-stays-hidden
	HookCalls: &wire.HookCalls{
		Event: "PreToolUse", Shell: "Bash", Read: "Read", Write: "Write", Path: "file_path", Unit: time.Second,
		Payload: `{"session_id":"","transcript_path":"","cwd":"","prompt_id":"00000000-0000-0000-0000-000000000001","permission_mode":"default",` +
			`"effort":{"level":"high"},"hook_event_name":"","tool_name":"","tool_input":{},"tool_use_id":""}`,
	},
}

// read reads a payload and adds the events that depend on its contents.
func read(h *wire.Host, body []byte, name string) wire.Call {
	c := wire.Read(h, body, name)
	switch {
	case c.Err != nil:
	case c.Native == "SessionStart" && rawjson.GetText(body, "source") == "resume":
		c.Events = append(c.Events, wire.WithKind(c.Events[0], checkrein.OnSessionResume))
	case c.Native == "Notification" && rawjson.GetText(body, "notification_type") == "idle_prompt":
		c.Events = append(c.Events, wire.WithKind(c.Events[0], checkrein.OnUserInput))
	case c.Native == "StopFailure": // the message shown in place of a reply is more specific than the kind of error
		ev := &c.Events[0]
		for _, key := range [...]string{"error_details", "last_assistant_message", "error"} {
			if ev.Text == "" {
				ev.Text = rawjson.GetText(body, key)
			}
		}
	case c.Native == "PermissionDenied": // sent by auto mode for its own refusals
		c.AddDetail(checkrein.OnToolApprovalDecision, "approval_decision", "deny")
		c.AddDetail(checkrein.OnToolApprovalDecision, "approval_source", "auto_mode_deny")
	case c.Native == "MessageDisplay":
		c.Events[0].Text = rawjson.GetText(body, "delta")
	}
	return c
}
