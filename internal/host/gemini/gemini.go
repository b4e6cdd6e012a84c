// Package gemini is the wire of Gemini CLI.
//
// Its events have names of their own and its answers look like Claude Code's
// without being them: a decision stands at the top, never inside, and whatever
// it does not know it passes over without a word. So every answer is one JSON
// object at exit 0, in its own keys.
package gemini

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Gemini CLI.
var Host = wire.Host{
	Name: "gemini", Title: "Gemini CLI", Version: "0.61.0", Mark: wire.Observed,
	Sets:   []string{"GEMINI_CLI"}, // read in its source
	About:  "Hooks go in settings.json. Hooks from all sources are added up. Timeouts are in milliseconds. In an untrusted folder, no hook runs. If a hook program is missing, every tool is blocked. If a hook is late, the tool runs. While an editor drives it (--acp), no hook is asked about tools.",
	Asks:   wire.Asks{Reach: wire.AtTerminal, Alone: []string{"-p", "--prompt"}},
	Blind:  "--acp",
	Dirs:   []string{"dir_path", "directory"},
	Waits:  60 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Say: say,
	Ran: true, // observed
}

const (
	context = checkrein.CanAddContext
	deny    = checkrein.CanDeny
	redo    = checkrein.CanDeny | checkrein.CanRedo
)

var events = []wire.Event{
	{Native: "SessionStart", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}, Mark: wire.Observed, Wired: true,
		Note: "if source is resume, on_session_resume fires too"},
	{Native: "BeforeAgent", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny | context}, {Kind: checkrein.TurnStart, Honours: context}}, Mark: wire.Observed, Wired: true,
		Note: "a prompt cannot be rewritten; fires again when a denied stop keeps the agent working"},
	{Native: "PreCompress", Rows: []wire.Row{{Kind: checkrein.PreCompact}}, Mark: wire.Observed,
		Note: "fires before every model call, even if nothing is compressed, so it is not wired"},
	{Native: "BeforeModel", Rows: []wire.Row{{Kind: checkrein.BeforeLLMCall, Honours: deny | checkrein.CanRewriteMessages | checkrein.CanHalt}}, Mark: wire.Observed,
		Note: "starts a process for every model call, so it is wired only with --event BeforeModel; it sees the conversation's text without tool calls and their results"},
	{Native: "BeforeToolSelection", Mark: wire.Observed},
	{Native: "AfterModel", Rows: []wire.Row{{Kind: checkrein.AfterLLMCall, Honours: checkrein.CanRewriteOutput | checkrein.CanHalt}}, Mark: wire.Observed,
		Note: "starts a process for every piece of text, so it is wired only with --event AfterModel; it sees one piece at a time, and tool calls in a rewritten piece are lost"},
	{Native: "BeforeTool", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanAsk | checkrein.CanRewriteInput | checkrein.CanHalt}}, Mark: wire.Observed, Wired: true,
		Note: "an ask opens a dialog, and ends the turn without a terminal; an allow skips no dialog; with halt, the tool does not run"},
	{Native: "AfterTool", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform, Honours: checkrein.CanRewriteOutput}, {Kind: checkrein.PostToolUse, Honours: deny | context}, {Kind: checkrein.PostToolUseFailure, Honours: deny | context}}, Mark: wire.Observed, Wired: true,
		Note: "fires for failed tool calls too; replaced output reaches the model as an error; a denial ends the turn"},
	{Native: "AfterAgent", Rows: []wire.Row{{Kind: checkrein.Stop, Honours: redo}, {Kind: checkrein.TurnEnd}}, Mark: wire.Observed, Wired: true,
		Note: "the host sets no limit"},
	{Native: "Notification", Rows: []wire.Row{{Kind: checkrein.Notification}}, Mark: wire.Observed, Wired: true, Note: "only with a terminal"},
	{Native: "SessionEnd", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Mark: wire.Observed, Wired: true},
}
