// Package gemini implements the wire of Gemini CLI.
//
// Its events have their own names, and its answers differ from Claude Code's: a decision is at the top
// level, never nested, and unknown keys are silently ignored. So every answer is one JSON object with
// Gemini's own keys, at exit code 0.
package gemini

import (
	"time"

	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Gemini CLI.
var Host = wire.Host{
	Name: "gemini", Title: "Gemini CLI", Version: "0.61.0", Mark: wire.Observed,
	CommandVars: []string{"GEMINI_CLI"}, // read in its source
	About:       "Hooks go in settings.json. Hooks from all sources are combined. Timeouts are in milliseconds. In an untrusted folder, no hook runs. If a hook program is missing, every tool is blocked. If a hook is late, the tool runs. While an editor drives it (--acp), it runs no hooks for tools.",
	Asks:        wire.Asks{Reach: wire.AtTerminal, NoAskOptions: []string{"-p", "--prompt"}},
	BlindOption: "--acp",
	Dirs:        []string{"dir_path", "directory"},
	Waits:       60 * time.Second,
	Events:      events, Quirks: quirks,
	Read: read, Encode: encode,
	ReportsRunInput: true, // observed
	HookCalls: &wire.HookCalls{
		Event: "BeforeTool", Shell: "run_shell_command", Read: "read_file", Write: "write_file", Path: "file_path", Unit: time.Millisecond,
		Payload: `{"session_id":"","transcript_path":"","cwd":"","hook_event_name":"","timestamp":"2026-01-01T00:00:00.000Z","tool_name":"","tool_input":{}}`,
	},
}
