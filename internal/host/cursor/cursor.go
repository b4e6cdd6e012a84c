// Package cursor is the wire of Cursor, the editor and its CLI.
//
// Each of its events has answer keys of its own, and one tool call may raise two
// of them. A denial is said three times, since builds differ in what they read:
// in JSON, by exit code 2, and on stderr.
package cursor

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Cursor.
var Host = wire.Host{
	Name: "cursor", Title: "Cursor", Version: "1.7 to 2.x", Mark: wire.Documented,
	Sets:   []string{"CURSOR_AGENT"}, // documented
	About:  "Hooks in hooks.json of the person and of the project; all of them run. A hook that fails or is late lets the tool run, unless its entry says failClosed. Not run here.",
	Editor: true,
	Asks:   wire.Asks{Reach: wire.Always, Alone: []string{"-p", "--print"}},
	Dirs:   []string{"working_directory"},
	Waits:  60 * time.Second, // not documented
	Events: events, Quirks: quirks,
	Read: read, Say: say,
}

const (
	context = checkrein.CanAddContext
	deny    = checkrein.CanDeny
	redo    = checkrein.CanDeny | checkrein.CanRedo
)

var (
	runsTool  = []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanAllow | checkrein.CanAsk}}
	readsFile = []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanAllow}}
	toolDone  = []wire.Row{{Kind: checkrein.PostToolUse}}
)

var events = []wire.Event{
	{Native: "sessionStart", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}, Wired: true},
	{Native: "beforeSubmitPrompt", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny}, {Kind: checkrein.TurnStart}}, Wired: true,
		Note: "a prompt can be refused, and nothing can be added to it"},
	{Native: "preToolUse", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanAllow | checkrein.CanRewriteInput}}, Wired: true,
		Note: "every tool; Cursor takes an ask here and does not ask, so it is a denial"},
	{Native: "beforeShellExecution", Rows: runsTool, Wired: true, Note: "comes after preToolUse for the same call; a command cannot be rewritten here"},
	{Native: "beforeMCPExecution", Rows: runsTool, Wired: true, Note: "comes after preToolUse for the same call"},
	{Native: "beforeReadFile", Rows: readsFile, Wired: true, Note: "comes after preToolUse for the same call, and for what is attached to a prompt"},
	{Native: "postToolUse", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform, Honours: checkrein.CanRewriteOutput}, {Kind: checkrein.PostToolUse, Honours: context}}, Wired: true,
		Note: "only what a tool of a server returned can be replaced; the run cannot be stopped from here"},
	{Native: "postToolUseFailure", Rows: []wire.Row{{Kind: checkrein.PostToolUseFailure}, {Kind: checkrein.PostToolUse}}, Wired: true, Failure: true, Note: "a command that fails comes here"},
	{Native: "subagentStart", Rows: []wire.Row{{Kind: checkrein.SubagentStart, Honours: deny}}, Wired: true},
	{Native: "subagentStop", Rows: []wire.Row{{Kind: checkrein.SubagentStop, Honours: redo}}, Wired: true, Note: "goes on only where the sub-agent had finished"},
	{Native: "stop", Rows: []wire.Row{{Kind: checkrein.Stop, Honours: redo}, {Kind: checkrein.TurnEnd}}, Wired: true,
		Note: "Cursor lets a stop be blocked 5 times; a turn that the person ended, or that failed, is turn_end only"},
	{Native: "preCompact", Rows: []wire.Row{{Kind: checkrein.PreCompact}}, Wired: true},
	{Native: "sessionEnd", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Wired: true},
	{Native: "afterShellExecution", Rows: toolDone, Note: "postToolUse has it too"},
	{Native: "afterMCPExecution", Rows: toolDone, Note: "postToolUse has it too"},
	{Native: "afterFileEdit", Rows: toolDone, Note: "postToolUse has it too"},
	{Native: "afterAgentResponse", Rows: []wire.Row{{Kind: checkrein.AfterLLMCall}}, Note: "nothing is honoured, so it is not wired"},
	{Native: "afterAgentThought"},
	{Native: "beforeTabFileRead", Rows: readsFile, Note: "completions while the person types, so it is wired with --event only"},
	{Native: "afterTabFileEdit", Rows: toolDone, Note: "completions while the person types, so it is wired with --event only"},
	{Native: "workspaceOpen"},
}

const seen = "1.7 to 2.x, documented"

var quirks = []wire.Quirk{
	{ID: "two-events-for-one-call", Seen: seen, Does: "A shell call raises preToolUse and then beforeShellExecution; tools of servers and reads have a second event too.", We: "Both are answered, each with the keys it has.", Fixture: "beforeShellExecution.json"},
	{ID: "ask-is-not-asked", Seen: seen, Does: "preToolUse takes permission: ask and runs the tool; subagentStart takes it for a denial.", We: "An ask is a denial there; the shell's and the servers' own events ask.", Fixture: "preToolUse.json"},
	{ID: "prompt-has-other-keys", Seen: seen, Does: "beforeSubmitPrompt ignores permission and reads continue: false.", We: "It is answered so.", Fixture: "beforeSubmitPrompt.json"},
	{ID: "arguments-as-text", Seen: seen, Does: "beforeMCPExecution sends a tool's arguments as a text with JSON in it, beside the command that starts the server.", We: "The text is read; the command is not taken for the tool's.", Fixture: "beforeMCPExecution.json"},
	{ID: "servers-have-no-name", Seen: seen, Does: "A tool of a server is called MCP:tool, or just tool, and nothing says which server.", We: "It is mcp:unknown/tool to matchers, so that mcp:.* finds it.", Fixture: "preToolUse.mcp.json"},
	{ID: "two-spellings", Seen: seen, Does: "Newer builds read user_message, older ones userMessage.", We: "Messages are sent in both spellings.", Fixture: "beforeShellExecution.json"},
	{ID: "open-on-failure", Seen: seen, Does: "A hook that fails or is late lets the tool run; exit code 2 and failClosed do not.", We: "Denials are JSON and exit code 2; install writes failClosed.", Fixture: "preToolUse.json"},
	{ID: "empty-is-a-failure", Seen: "CLI 2026.09, documented", Does: "Nothing on stdout is a failed hook, which denies under failClosed.", We: "With nothing to say we say {}.", Fixture: "preToolUse.json"},
	{ID: "long-context-is-lost", Seen: "CLI 2026.09, documented", Does: "Context of more than 10,000 characters is dropped as a whole.", We: "It is cut, and says so.", Fixture: "TestLongContext"},
	{ID: "stop-needs-exit-0", Seen: seen, Does: "Exit code 2 on stop does nothing.", We: "A stop is kept going with followup_message at exit code 0.", Fixture: "stop.json"},
	{ID: "loads-claude-files", Seen: seen, Does: "Cursor also runs hooks that are wired for Claude Code, and both if both are there.", We: "status tells when checkrein is wired twice.", Fixture: "sessionStart.json"},
	{ID: "timeout-unit", Seen: seen, Does: "Sources disagree whether timeout counts seconds or milliseconds.", We: "install writes none; we answer in time ourselves.", Fixture: "preToolUse.json"},
}
