// Package cline is the wire of Cline.
//
// A hook is an executable that is called like its event. What the event says
// lies in a member that is called like it too, and the answer is the same three
// keys everywhere: cancel, errorMessage, contextModification.
package cline

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Cline.
var Host = wire.Host{
	Name: "cline", Title: "Cline", Version: "August 2026", Mark: wire.Documented,
	Sets:   []string{"CLINE_ACTIVE"}, // documented
	About:  "A hook is an executable file named after its event, in ~/Documents/Cline/Hooks or in the workspace's .clinerules/hooks. Hooks must be turned on in Cline's settings. If a hook fails, is late or is missing, the tool runs. Not tested with a real host.",
	Editor: true,
	Waits:  30 * time.Second, // whatever is written
	Events: events, Quirks: quirks,
	Read: read, Say: say,
}

const (
	context = checkrein.CanAddContext
	deny    = checkrein.CanDeny
)

var events = []wire.Event{
	{Native: "TaskStart", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}, Wired: true},
	{Native: "TaskResume", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}, {Kind: checkrein.OnSessionResume}}, Wired: true},
	{Native: "UserPromptSubmit", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny | context}, {Kind: checkrein.TurnStart, Honours: context}}, Wired: true},
	{Native: "PreToolUse", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | context}}, Wired: true,
		Note: "comes after the user's approval; the host cannot ask, so an ask is a denial; a denial cancels the task"},
	{Native: "PostToolUse", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform}, {Kind: checkrein.PostToolUse, Honours: deny | context}, {Kind: checkrein.PostToolUseFailure, Honours: deny | context}}, Wired: true,
		Note: "a denial cancels the task; a tool's output cannot be replaced; for a failed tool call, post_tool_use_failure fires too"},
	{Native: "PreCompact", Rows: []wire.Row{{Kind: checkrein.PreCompact, Honours: deny}}, Wired: true},
	{Native: "TaskComplete", Rows: []wire.Row{{Kind: checkrein.OnCompletionClaim}, {Kind: checkrein.Stop}, {Kind: checkrein.TurnEnd}}, Wired: true,
		Note: "a hook cannot keep the agent working"},
	{Native: "TaskCancel", Rows: []wire.Row{{Kind: checkrein.TurnEnd}}, Wired: true, Note: "cannot be canceled"},
	{Native: "Notification", Rows: []wire.Row{{Kind: checkrein.Notification}}, Wired: true, Note: "if the agent is waiting for the user, on_user_input fires too"},
}

const seen = "August 2026, documented"

var quirks = []wire.Quirk{
	{ID: "exit-code-means-nothing", Seen: seen, Does: "Valid JSON counts whatever the exit code is. Without JSON, the action goes on even with a non-zero exit code, including 2.", We: "checkrein always answers with JSON and exit code 0.", Fixture: "PreToolUse.json"},
	{ID: "one-wrong-type-is-open", Seen: seen, Does: "If cancel is not a boolean, or the older shouldContinue is used, the whole answer is dropped.", We: "checkrein sends cancel as a boolean and everything else as strings.", Fixture: "PreToolUse.json"},
	{ID: "model-is-not-told-why", Seen: seen, Does: "errorMessage is shown to the user. The model learns only that the tool was denied.", We: "checkrein sends the reason as context too.", Fixture: "PreToolUse.json"},
	{ID: "context-comes-later", Seen: seen, Does: "Context arrives with the next request, not with this one, and is cut at 50,000 characters.", We: "checkrein promises no more than that.", Fixture: "UserPromptSubmit.json"},
	{ID: "arguments-are-texts", Seen: seen, Does: "Every argument is a string, even lists and objects.", We: "checkrein parses an MCP tool's arguments from that string.", Fixture: "PreToolUse.mcp.json"},
	{ID: "one-tool-for-all-servers", Seen: seen, Does: "All MCP tools are called use_mcp_tool.", We: "Matchers see mcp:server/tool.", Fixture: "PreToolUse.mcp.json"},
	{ID: "no-call-id", Seen: seen, Does: "Tool events carry no call ID.", We: "checkrein identifies a call by its tool and arguments.", Fixture: "PostToolUse.json"},
	{ID: "fixed-timeout", Seen: seen, Does: "After 30 seconds the action goes on.", We: "checkrein answers before that.", Fixture: "PreToolUse.json"},
	{ID: "switched-off-at-first", Seen: seen, Does: "Until hooks are turned on, no hook runs, and no message says so. A file that is not executable is skipped.", We: "install and status say so.", Fixture: "TaskStart.json"},
}
