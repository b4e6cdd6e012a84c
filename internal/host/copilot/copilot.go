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
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is GitHub Copilot CLI.
var Host = wire.Host{
	Name: "copilot", Title: "GitHub Copilot CLI", Version: "1.0.102", Mark: wire.Observed,
	Sets:   []string{"COPILOT_CLI"}, // observed, with 1
	About:  "Hooks go in ~/.copilot/hooks/*.json or in a repository's .github/hooks. A repository's hooks are silently skipped until the folder is trusted. If a hook is late, the tool runs.",
	Asks:   wire.Asks{Reach: wire.AtTerminal, Alone: []string{"-p", "--prompt"}},
	Waits:  30 * time.Second,
	Events: events, Quirks: quirks, Unnamed: true,
	Read: read, Say: say,
	Ran: true, // observed
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
	{Native: "sessionStart", Rows: sessionStart, Mark: wire.Observed, Wired: true, Note: "may arrive after the first prompt"},
	{Native: "SessionStart", Rows: sessionStart, Mark: wire.Observed},
	{Native: "userPromptSubmitted", Rows: prompt, Mark: wire.Observed, Wired: true, Note: "fires inside sub-agents too, and after a blocked stop, with checkrein's reason as the prompt"},
	{Native: "UserPromptSubmit", Rows: prompt, Mark: wire.Observed},
	{Native: "userPromptTransformed", Mark: wire.Observed},
	{Native: "preToolUse", Rows: preTool, Mark: wire.Observed, Wired: true, Note: "without a terminal, an ask is a denial"},
	{Native: "PreToolUse", Rows: preTool, Mark: wire.Observed},
	{Native: "permissionRequest", Rows: permission, Mark: wire.Observed, Wired: true},
	{Native: "PermissionRequest", Rows: permission, Mark: wire.Observed},
	{Native: "postToolUse", Rows: postTool, Mark: wire.Observed, Wired: true, Note: "fires for failed commands too; a hook cannot stop the run here, so a denial replaces the output"},
	{Native: "PostToolUse", Rows: postTool, Mark: wire.Observed},
	{Native: "postToolUseFailure", Rows: failure, Mark: wire.Documented, Wired: true, Failure: true},
	{Native: "PostToolUseFailure", Rows: failure, Mark: wire.Documented, Failure: true},
	{Native: "agentStop", Rows: stop, Mark: wire.Observed, Wired: true, Note: "Copilot allows a stop to be blocked 8 times"},
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
		for i := range c.Events {
			if ev := &c.Events[i]; ev.Session.Agent == "" && ev.Kind == kind { // the one that starts or stops
				ev.Session.Agent = rawjson.GetText(body, "agentName")
			}
		}
	}
	return c
}

var quirks = []wire.Quirk{
	{ID: "loads-claude-files", Seen: "1.0.102", Does: "In a trusted folder, Copilot CLI also runs the hooks of the project's .claude/settings.json and settings.local.json.", We: "checkrein runs included hooks of these files there too, because they may be skipped; status and doctor report that they run twice.", Fixture: "preToolUse.json"},
	{ID: "two-spellings", Seen: "1.0.102", Does: "preToolUse and PreToolUse are two dialects with different payloads. The wrapper hookSpecificOutput is read only on PreToolUse.", We: "checkrein reads both. Its answers are flat, which works in both.", Fixture: "preToolUse.json"},
	{ID: "block-is-ignored", Seen: "1.0.102", Does: "decision: block on preToolUse is ignored and the tool runs.", We: "checkrein sends permissionDecision: deny and exit code 2.", Fixture: "preToolUse.json"},
	{ID: "exit-2-hides-stderr", Seen: "1.0.102", Does: "With exit code 2 alone, the model does not see the reason.", We: "checkrein sends the reason in JSON as well.", Fixture: "preToolUse.json"},
	{ID: "exit-2-only-before-tools", Seen: "1.0.102", Does: "On prompts, results and stops, exit code 2 is only a warning.", We: "There, checkrein blocks with flat JSON and exit code 0.", Fixture: "userPromptSubmitted.json"},
	{ID: "no-call-id", Seen: "1.0.102", Does: "Tool events carry no call ID.", We: "checkrein identifies a call by its tool and arguments.", Fixture: "postToolUse.json"},
	{ID: "payload-has-no-name", Seen: "1.0.102", Does: "Payloads in the camelCase dialect do not name their event.", We: "The installed command line names it.", Fixture: "agentStop.json"},
	{ID: "late-is-open", Seen: "1.0.102", Does: "If a hook exceeds its time limit, the tool runs. If it fails or is missing, the tool is denied.", We: "checkrein answers before the time limit.", Fixture: "preToolUse.json"},
	{ID: "stop-comes-back-as-prompt", Seen: "1.0.102", Does: "After a blocked stop, the reason arrives as a prompt.", We: "A prompt that is checkrein's own feedback does not start a turn, so the redo limit still holds.", Fixture: "userPromptSubmitted.json"},
	{ID: "transcript", Seen: "1.0.102", Does: "The session file (session-state/ID/events.jsonl) contains tool output from before it was redacted, and rewind-file-snapshots contains copies of files from before they were changed. A resumed session does not send them to the model.",
		We: "checkrein's own records contain no secrets. The agent's folder does: anyone who can read it can read them, so protect it like the files themselves.", Fixture: "preToolUse.json"},
}
