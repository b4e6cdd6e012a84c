// Package copilot is the wire of GitHub Copilot CLI.
//
// It has two spellings of every event, and reads the wrapper that other hosts
// use on one event of one of them. Flat keys work in both, so answers are flat,
// and a denial of a tool is said twice: in JSON and by exit code 2.
package copilot

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// Host is GitHub Copilot CLI.
var Host = wire.Host{
	Name: "copilot", Title: "GitHub Copilot CLI", Version: "1.0.102", Mark: wire.Observed,
	Sets:   []string{"COPILOT_CLI"}, // observed, with 1
	About:  "Hooks in ~/.copilot/hooks/*.json, or in a repository's .github/hooks, which are skipped without a word until the folder is trusted. A late hook lets the tool run.",
	Asks:   wire.Asks{Reach: wire.AtTerminal, Alone: []string{"-p", "--prompt"}},
	Waits:  30 * time.Second,
	Events: events, Quirks: quirks, Unnamed: true,
	Read: read, Say: say,
}

const (
	context = checkrein.CanAddContext
	deny    = checkrein.CanDeny
	redo    = checkrein.CanDeny | checkrein.CanRedo
)

var (
	sessionStart = []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}
	prompt       = []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny | checkrein.CanRewriteOutput | context}, {Kind: checkrein.TurnStart, Honours: context}}
	preTool      = []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanAllow | checkrein.CanAsk | checkrein.CanRewriteInput | context}}
	permission   = []wire.Row{{Kind: checkrein.PermissionRequest, Honours: deny | checkrein.CanAllow}}
	postTool     = []wire.Row{{Kind: checkrein.ToolResponseTransform, Honours: checkrein.CanRewriteOutput}, {Kind: checkrein.PostToolUse, Honours: context}}
	failure      = []wire.Row{{Kind: checkrein.PostToolUseFailure, Honours: context}, {Kind: checkrein.PostToolUse, Honours: context}}
	stop         = []wire.Row{{Kind: checkrein.Stop, Honours: redo}, {Kind: checkrein.TurnEnd}}
	subStart     = []wire.Row{{Kind: checkrein.SubagentStart, Honours: context}}
	subStop      = []wire.Row{{Kind: checkrein.SubagentStop, Honours: redo}}
	sessionEnd   = []wire.Row{{Kind: checkrein.SessionEnd}}
	notification = []wire.Row{{Kind: checkrein.Notification}}
	preCompact   = []wire.Row{{Kind: checkrein.PreCompact}}
	failed       = []wire.Row{{Kind: checkrein.OnError}}
)

// The first spelling of each is the one that is wired.
var events = []wire.Event{
	{Native: "sessionStart", Rows: sessionStart, Mark: wire.Observed, Wired: true, Note: "may come after the first prompt"},
	{Native: "SessionStart", Rows: sessionStart, Mark: wire.Observed},
	{Native: "userPromptSubmitted", Rows: prompt, Mark: wire.Observed, Wired: true, Note: "fires inside sub-agents, and after a stop that was blocked with our reason"},
	{Native: "UserPromptSubmit", Rows: prompt, Mark: wire.Observed},
	{Native: "userPromptTransformed", Mark: wire.Observed},
	{Native: "preToolUse", Rows: preTool, Mark: wire.Observed, Wired: true, Note: "without a terminal an ask is a denial"},
	{Native: "PreToolUse", Rows: preTool, Mark: wire.Observed},
	{Native: "permissionRequest", Rows: permission, Mark: wire.Observed, Wired: true},
	{Native: "PermissionRequest", Rows: permission, Mark: wire.Observed},
	{Native: "postToolUse", Rows: postTool, Mark: wire.Observed, Wired: true, Note: "a command that fails comes here too; the run cannot be stopped from here, a denial takes the place of the output"},
	{Native: "PostToolUse", Rows: postTool, Mark: wire.Observed},
	{Native: "postToolUseFailure", Rows: failure, Mark: wire.Documented, Wired: true, Failure: true},
	{Native: "PostToolUseFailure", Rows: failure, Mark: wire.Documented, Failure: true},
	{Native: "agentStop", Rows: stop, Mark: wire.Observed, Wired: true, Note: "Copilot lets a stop be blocked 8 times"},
	{Native: "Stop", Rows: stop, Mark: wire.Observed},
	{Native: "subagentStart", Rows: subStart, Mark: wire.Documented, Wired: true},
	{Native: "SubagentStart", Rows: subStart, Mark: wire.Documented},
	{Native: "subagentStop", Rows: subStop, Mark: wire.Documented, Wired: true},
	{Native: "SubagentStop", Rows: subStop, Mark: wire.Documented},
	{Native: "sessionEnd", Rows: sessionEnd, Mark: wire.Observed, Wired: true},
	{Native: "SessionEnd", Rows: sessionEnd, Mark: wire.Observed},
	{Native: "notification", Rows: notification, Mark: wire.Observed, Wired: true},
	{Native: "Notification", Rows: notification, Mark: wire.Observed},
	{Native: "preCompact", Rows: preCompact, Mark: wire.Documented, Wired: true},
	{Native: "PreCompact", Rows: preCompact, Mark: wire.Documented},
	{Native: "errorOccurred", Rows: failed, Mark: wire.Documented, Wired: true},
	{Native: "ErrorOccurred", Rows: failed, Mark: wire.Documented},
	{Native: "preMcpToolCall", Mark: wire.Documented},
}

// read takes the event's name from the command line: payloads of one spelling
// have none.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hookName")
	}
	c := wire.Read(h, body, name)
	for _, kind := range [...]checkrein.Kind{checkrein.SubagentStart, checkrein.SubagentStop} {
		c.Tell(kind, "subagent_name", rawjson.GetText(body, "agentName"))
		c.Tell(kind, "subagent_type", rawjson.GetText(body, "agentType"))
	}
	for i := range c.Events {
		if ev := &c.Events[i]; ev.Session.Agent == "" && ev.Kind == checkrein.SubagentStop { // the one that stops
			ev.Session.Agent = rawjson.GetText(body, "agentName")
		}
	}
	return c
}

var quirks = []wire.Quirk{
	{ID: "two-spellings", Seen: "1.0.102", Does: "preToolUse and PreToolUse are two dialects: other payloads, and the wrapper hookSpecificOutput is read on PreToolUse alone.", We: "Both are read; answers are flat, which works in both.", Fixture: "preToolUse.json"},
	{ID: "block-is-ignored", Seen: "1.0.102", Does: "decision: block on preToolUse is ignored and the tool runs.", We: "permissionDecision: deny, and exit code 2 beside it.", Fixture: "preToolUse.json"},
	{ID: "exit-2-hides-stderr", Seen: "1.0.102", Does: "With exit code 2 alone the model does not see the reason.", We: "The reason is in the JSON beside it.", Fixture: "preToolUse.json"},
	{ID: "exit-2-only-before-tools", Seen: "1.0.102", Does: "On prompts, results and stops exit code 2 is a warning.", We: "There a block is flat JSON at exit 0.", Fixture: "userPromptSubmitted.json"},
	{ID: "no-call-id", Seen: "1.0.102", Does: "Tool events carry no id of the call.", We: "Calls are told apart by tool and arguments.", Fixture: "postToolUse.json"},
	{ID: "payload-has-no-name", Seen: "1.0.102", Does: "Payloads of the first spelling do not say which event they are.", We: "The installed command line says it.", Fixture: "agentStop.json"},
	{ID: "late-is-open", Seen: "1.0.102", Does: "A hook over its time lets the tool run; one that fails or is missing denies.", We: "We answer before the time is over.", Fixture: "preToolUse.json"},
	{ID: "stop-comes-back-as-prompt", Seen: "1.0.102", Does: "After a blocked stop the reason arrives as a prompt.", We: "A prompt that is our own feedback starts no turn, so the redo limit holds.", Fixture: "userPromptSubmitted.json"},
	{ID: "transcript", Seen: "1.0.102", Does: "The session's file (session-state/ID/events.jsonl) has what tools returned before it was redacted, and rewind-file-snapshots has copies of files before they were changed. A session that is resumed does not send that to the model.",
		We: "checkrein's own records have no secret. Whoever may read the agent's folder may read these: treat it as you treat the files themselves.", Fixture: "preToolUse.json"},
}
