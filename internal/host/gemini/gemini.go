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
	About:  "Hooks in settings.json; those of all sources add up, timeouts are in milliseconds. No hook runs in a folder that nobody has trusted; a hook program that is missing blocks every tool, one that is late lets it run.",
	Asks:   wire.Asks{Reach: wire.AtTerminal, Alone: []string{"-p", "--prompt"}},
	Dirs:   []string{"dir_path", "directory"},
	Waits:  60 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Say: say,
}

const (
	context = checkrein.CanAddContext
	deny    = checkrein.CanDeny
	redo    = checkrein.CanDeny | checkrein.CanRedo
)

var events = []wire.Event{
	{Native: "SessionStart", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}, Mark: wire.Observed, Wired: true,
		Note: "with source resume also on_session_resume"},
	{Native: "BeforeAgent", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny | context}, {Kind: checkrein.TurnStart, Honours: context}}, Mark: wire.Observed, Wired: true,
		Note: "a prompt cannot be rewritten; fires again for what kept the agent going"},
	{Native: "PreCompress", Rows: []wire.Row{{Kind: checkrein.PreCompact}}, Mark: wire.Observed,
		Note: "fires before every model call, whether anything is compressed or not, so it is not wired"},
	{Native: "BeforeModel", Rows: []wire.Row{{Kind: checkrein.BeforeLLMCall, Honours: deny | checkrein.CanRewriteMessages | checkrein.CanHalt}}, Mark: wire.Observed,
		Note: "a process per model call, so it is wired with --event BeforeModel only; messages are the texts of the conversation, without calls and their results"},
	{Native: "BeforeToolSelection", Mark: wire.Observed},
	{Native: "AfterModel", Rows: []wire.Row{{Kind: checkrein.AfterLLMCall, Honours: checkrein.CanRewriteOutput | checkrein.CanHalt}}, Mark: wire.Observed,
		Note: "a process per piece of text, so it is wired with --event AfterModel only; the text is that of one piece, and calls in a piece that is rewritten are lost"},
	{Native: "BeforeTool", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanAsk | checkrein.CanRewriteInput | checkrein.CanHalt}}, Mark: wire.Observed, Wired: true,
		Note: "ask is a dialog, and without a terminal the end of the turn; an allow skips no dialog; with halt the tool does not run"},
	{Native: "AfterTool", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform, Honours: checkrein.CanRewriteOutput}, {Kind: checkrein.PostToolUse, Honours: deny | context}, {Kind: checkrein.PostToolUseFailure, Honours: deny | context}}, Mark: wire.Observed, Wired: true,
		Note: "a tool that fails comes here too; output that is replaced reaches the model as an error; a denial ends the turn"},
	{Native: "AfterAgent", Rows: []wire.Row{{Kind: checkrein.Stop, Honours: redo}, {Kind: checkrein.TurnEnd}}, Mark: wire.Observed, Wired: true,
		Note: "without a cap of its own"},
	{Native: "Notification", Rows: []wire.Row{{Kind: checkrein.Notification}}, Mark: wire.Observed, Wired: true, Note: "only with a terminal"},
	{Native: "SessionEnd", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Mark: wire.Observed, Wired: true},
}
