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
	About:  "A hook is an executable named after its event, in ~/Documents/Cline/Hooks or in the workspace's .clinerules/hooks, once hooks are switched on in Cline's settings. A hook that fails, is late or is missing lets the tool run. Not run here.",
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
		Note: "comes after the person's approval; there is no ask, so it is a denial, and a denial cancels the task"},
	{Native: "PostToolUse", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform}, {Kind: checkrein.PostToolUse, Honours: deny | context}, {Kind: checkrein.PostToolUseFailure, Honours: deny | context}}, Wired: true,
		Note: "a denial cancels the task; what a tool returned cannot be replaced; a tool that failed is post_tool_use_failure too"},
	{Native: "PreCompact", Rows: []wire.Row{{Kind: checkrein.PreCompact, Honours: deny}}, Wired: true},
	{Native: "TaskComplete", Rows: []wire.Row{{Kind: checkrein.OnCompletionClaim}, {Kind: checkrein.Stop}, {Kind: checkrein.TurnEnd}}, Wired: true,
		Note: "nothing keeps the agent going"},
	{Native: "TaskCancel", Rows: []wire.Row{{Kind: checkrein.TurnEnd}}, Wired: true, Note: "cannot be cancelled"},
	{Native: "Notification", Rows: []wire.Row{{Kind: checkrein.Notification}}, Wired: true, Note: "where it waits for the person also on_user_input"},
}

const seen = "August 2026, documented"

var quirks = []wire.Quirk{
	{ID: "exit-code-means-nothing", Seen: seen, Does: "Valid JSON counts whatever the exit code; without JSON an exit code other than 0, 2 too, lets the action go on.", We: "Every answer is JSON at exit code 0.", Fixture: "PreToolUse.json"},
	{ID: "one-wrong-type-is-open", Seen: seen, Does: "A cancel that is no bool, or the older shouldContinue, and the whole answer is dropped.", We: "An answer has cancel as a bool, and texts.", Fixture: "PreToolUse.json"},
	{ID: "model-is-not-told-why", Seen: seen, Does: "errorMessage is shown to the person; the model hears only that the tool was denied.", We: "The reason is sent as context too.", Fixture: "PreToolUse.json"},
	{ID: "context-comes-later", Seen: seen, Does: "Context is in the next request, not in this one, and is cut at 50,000 characters.", We: "Nothing more is promised.", Fixture: "UserPromptSubmit.json"},
	{ID: "arguments-are-texts", Seen: seen, Does: "Every argument is a text, lists and objects too.", We: "The arguments of a server's tool are read out of theirs.", Fixture: "PreToolUse.mcp.json"},
	{ID: "one-tool-for-all-servers", Seen: seen, Does: "Tools of servers are all called use_mcp_tool.", We: "Matchers see mcp:server/tool.", Fixture: "PreToolUse.mcp.json"},
	{ID: "no-call-id", Seen: seen, Does: "Tool events carry no id of the call.", We: "Calls are told apart by tool and arguments.", Fixture: "PostToolUse.json"},
	{ID: "fixed-timeout", Seen: seen, Does: "After 30 seconds the action goes on.", We: "We answer before.", Fixture: "PreToolUse.json"},
	{ID: "switched-off-at-first", Seen: seen, Does: "No hook runs, without a word, until hooks are switched on; a file that is not executable is skipped.", We: "install and status say so.", Fixture: "TaskStart.json"},
}
