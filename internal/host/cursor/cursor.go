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
	About:  "Hooks go in the user's and the project's hooks.json; all of them run. If a hook fails or is late, the tool runs, unless its entry sets failClosed. Not tested with a real host.",
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
		Note: "a prompt can be denied, but nothing can be added to it"},
	{Native: "preToolUse", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanAllow | checkrein.CanRewriteInput}}, Wired: true,
		Note: "fires for every tool; Cursor accepts an ask here but does not ask, so checkrein sends a denial"},
	{Native: "beforeShellExecution", Rows: runsTool, Wired: true, Note: "comes after preToolUse for the same call; a command cannot be rewritten here"},
	{Native: "beforeMCPExecution", Rows: runsTool, Wired: true, Note: "comes after preToolUse for the same call"},
	{Native: "beforeReadFile", Rows: readsFile, Wired: true, Note: "comes after preToolUse for the same call, and for files attached to a prompt"},
	{Native: "postToolUse", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform, Honours: checkrein.CanRewriteOutput}, {Kind: checkrein.PostToolUse, Honours: context}}, Wired: true,
		Note: "only an MCP tool's output can be replaced; a hook cannot stop the run here"},
	{Native: "postToolUseFailure", Rows: []wire.Row{{Kind: checkrein.PostToolUseFailure}, {Kind: checkrein.PostToolUse}}, Wired: true, Failure: true, Note: "fires for failed commands"},
	{Native: "subagentStart", Rows: []wire.Row{{Kind: checkrein.SubagentStart, Honours: deny}}, Wired: true},
	{Native: "subagentStop", Rows: []wire.Row{{Kind: checkrein.SubagentStop, Honours: redo}}, Wired: true, Note: "a hook can keep the sub-agent working only if it had finished"},
	{Native: "stop", Rows: []wire.Row{{Kind: checkrein.Stop, Honours: redo}, {Kind: checkrein.TurnEnd}}, Wired: true,
		Note: "Cursor allows a stop to be blocked 5 times; a turn that failed or that the user ended fires only turn_end"},
	{Native: "preCompact", Rows: []wire.Row{{Kind: checkrein.PreCompact}}, Wired: true},
	{Native: "sessionEnd", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Wired: true},
	{Native: "afterShellExecution", Rows: toolDone, Note: "postToolUse reports the same call"},
	{Native: "afterMCPExecution", Rows: toolDone, Note: "postToolUse reports the same call"},
	{Native: "afterFileEdit", Rows: toolDone, Note: "postToolUse reports the same call"},
	{Native: "afterAgentResponse", Rows: []wire.Row{{Kind: checkrein.AfterLLMCall}}, Note: "the host honors no answer here, so it is not wired"},
	{Native: "afterAgentThought"},
	{Native: "beforeTabFileRead", Rows: readsFile, Note: "fires for completions while the user types, so it is wired only with --event"},
	{Native: "afterTabFileEdit", Rows: toolDone, Note: "fires for completions while the user types, so it is wired only with --event"},
	{Native: "workspaceOpen"},
}

const seen = "1.7 to 2.x, documented"

var quirks = []wire.Quirk{
	{ID: "two-events-for-one-call", Seen: seen, Does: "A shell call fires preToolUse and then beforeShellExecution. MCP tools and reads have a second event too.", We: "checkrein answers both, each with its own keys.", Fixture: "beforeShellExecution.json"},
	{ID: "ask-is-not-asked", Seen: seen, Does: "preToolUse accepts permission: ask but runs the tool; subagentStart treats it as a denial.", We: "There, checkrein sends an ask as a denial. On the shell's and MCP's own events, it asks.", Fixture: "preToolUse.json"},
	{ID: "prompt-has-other-keys", Seen: seen, Does: "beforeSubmitPrompt ignores permission and reads continue: false.", We: "checkrein answers with continue.", Fixture: "beforeSubmitPrompt.json"},
	{ID: "arguments-as-text", Seen: seen, Does: "beforeMCPExecution sends a tool's arguments as a JSON string, next to the command that starts the server.", We: "checkrein parses the string and does not mistake the server's command for the tool's.", Fixture: "beforeMCPExecution.json"},
	{ID: "servers-have-no-name", Seen: seen, Does: "An MCP tool is called MCP:tool, or just tool, and nothing names its server.", We: "Matchers see mcp:unknown/tool, so that mcp:.* matches it.", Fixture: "preToolUse.mcp.json"},
	{ID: "two-spellings", Seen: seen, Does: "Newer builds read user_message; older ones read userMessage.", We: "checkrein sends messages under both names.", Fixture: "beforeShellExecution.json"},
	{ID: "open-on-failure", Seen: seen, Does: "If a hook fails or is late, the tool runs. With exit code 2 or failClosed, it does not.", We: "checkrein denies with JSON and exit code 2; install writes failClosed.", Fixture: "preToolUse.json"},
	{ID: "empty-is-a-failure", Seen: "CLI 2026.09, documented", Does: "An empty stdout counts as a failed hook, and with failClosed that is a denial.", We: "checkrein prints {} when there is nothing to say.", Fixture: "preToolUse.json"},
	{ID: "long-context-is-lost", Seen: "CLI 2026.09, documented", Does: "Context longer than 10,000 characters is dropped entirely.", We: "checkrein cuts the context and says so in it.", Fixture: "TestLongContext"},
	{ID: "stop-needs-exit-0", Seen: seen, Does: "Exit code 2 on stop does nothing.", We: "checkrein keeps the agent working with followup_message and exit code 0.", Fixture: "stop.json"},
	{ID: "loads-claude-files", Seen: seen, Does: "Cursor also runs hooks that are wired for Claude Code. If both are there, both run.", We: "status reports when checkrein is wired twice, and when included hooks may run twice.", Fixture: "sessionStart.json"},
	{ID: "timeout-unit", Seen: seen, Does: "Sources disagree on whether timeout is in seconds or milliseconds.", We: "install writes no timeout; checkrein answers in time by itself.", Fixture: "preToolUse.json"},
}
