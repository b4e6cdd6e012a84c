// Package claude is the wire of Claude Code.
//
// It reads JSON whatever the exit code, throws a whole answer away for one wrong
// type or a hookEventName that is not the event's, and runs the tool then. So
// every answer is one JSON object at exit 0, made of the keys that it honours on
// that event.
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
	Sets:   []string{"CLAUDECODE"}, // observed, with 1
	About:  "Hooks go in settings.json. Hooks from all sources are added up and run in parallel. If a hook fails, hangs or is missing, the tool runs anyway.",
	Asks:   wire.Asks{Reach: wire.AtTerminal, Alone: []string{"-p", "--print"}, Driven: []string{"--permission-prompt-tool", "stdio"}},
	Waits:  600 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Say: say,
	Ran:      true, // observed
	Restores: true, // see rewrite-stays-hidden
}

const (
	context = checkrein.CanAddContext
	deny    = checkrein.CanDeny
	redo    = checkrein.CanDeny | checkrein.CanRedo
)

var events = []wire.Event{
	{Native: "SessionStart", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}, Mark: wire.Observed, Wired: true,
		Note: "if source is resume, on_session_resume fires too"},
	{Native: "UserPromptSubmit", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny | context}, {Kind: checkrein.TurnStart, Honours: context}}, Mark: wire.Observed, Wired: true, Waits: 30 * time.Second,
		Note: "a prompt cannot be rewritten"},
	{Native: "PreToolUse", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanAllow | checkrein.CanAsk | checkrein.CanRewriteInput | context | checkrein.CanHalt}}, Mark: wire.Observed, Wired: true,
		Note: "an ask opens a dialog, and is a denial without a terminal; halt ends the turn after this tool"},
	{Native: "PermissionRequest", Rows: []wire.Row{{Kind: checkrein.PermissionRequest, Honours: deny | checkrein.CanAllow | checkrein.CanRewriteInput}}, Mark: wire.Observed, Wired: true,
		Note: "only with a terminal; arguments can be rewritten only in a call that the hook allows"},
	{Native: "PermissionDenied", Rows: []wire.Row{{Kind: checkrein.OnToolApprovalDecision}}, Mark: wire.Documented, Note: "auto mode only"},
	{Native: "PostToolUse", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform, Honours: checkrein.CanRewriteOutput}, {Kind: checkrein.PostToolUse, Honours: deny | context}}, Mark: wire.Observed, Wired: true,
		Note: "a denial ends the turn; replaced output keeps the tool's own format"},
	{Native: "PostToolUseFailure", Rows: []wire.Row{{Kind: checkrein.PostToolUseFailure, Honours: context}, {Kind: checkrein.PostToolUse, Honours: context}}, Mark: wire.Observed, Wired: true, Failure: true,
		Note: "the model gets a denial's reason"},
	{Native: "PostToolBatch", Mark: wire.Observed},
	{Native: "Stop", Rows: []wire.Row{{Kind: checkrein.Stop, Honours: redo}, {Kind: checkrein.TurnEnd}}, Mark: wire.Observed, Wired: true,
		Note: "context would keep the turn going, so checkrein does not send it"},
	{Native: "StopFailure", Rows: []wire.Row{{Kind: checkrein.OnError}}, Mark: wire.Observed, Wired: true, Note: "without a terminal, the host does not wait for the answer"},
	{Native: "SubagentStart", Rows: []wire.Row{{Kind: checkrein.SubagentStart, Honours: context}}, Mark: wire.Observed, Wired: true},
	{Native: "SubagentStop", Rows: []wire.Row{{Kind: checkrein.SubagentStop, Honours: redo}}, Mark: wire.Observed, Wired: true},
	{Native: "PreCompact", Rows: []wire.Row{{Kind: checkrein.PreCompact, Honours: deny | context}}, Mark: wire.Observed, Wired: true},
	{Native: "PostCompact", Rows: []wire.Row{{Kind: checkrein.AfterCompaction}}, Mark: wire.Documented, Wired: true},
	{Native: "Notification", Rows: []wire.Row{{Kind: checkrein.Notification}}, Mark: wire.Observed, Wired: true,
		Note: "for idle_prompt, on_user_input fires too"},
	{Native: "MessageDisplay", Rows: []wire.Row{{Kind: checkrein.OnResponseEnd, Honours: checkrein.CanRewriteOutput}}, Mark: wire.Observed,
		Note: "starts a process for every piece of text, so it is wired only with --event MessageDisplay; changes what the user sees, not what the model said"},
	{Native: "SessionEnd", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Mark: wire.Observed, Wired: true, Waits: 1500 * time.Millisecond},
	{Native: "WorktreeCreate", Rows: []wire.Row{{Kind: checkrein.WorktreeCreate, Honours: deny}}, Mark: wire.Observed,
		Note: "the hook must print the path that it created, so it is never wired"},
	{Native: "WorktreeRemove", Mark: wire.Documented},
	{Native: "Setup", Mark: wire.Observed},
	{Native: "InstructionsLoaded", Mark: wire.Observed},
	{Native: "UserPromptExpansion", Mark: wire.Observed},
	{Native: "TaskCreated", Mark: wire.Observed},
	{Native: "TaskCompleted", Mark: wire.Observed},
	{Native: "ConfigChange", Mark: wire.Observed, Wired: true, Settings: "file_path",
		Note: "no hook decides here; checkrein itself refuses settings that turn hooks off or no longer call it"},
	{Native: "CwdChanged", Mark: wire.Observed},
	{Native: "FileChanged", Mark: wire.Observed},
	{Native: "Elicitation", Mark: wire.Observed},
	{Native: "ElicitationResult", Mark: wire.Observed},
	{Native: "TeammateIdle", Mark: wire.Documented},
}

// read reads a payload and adds the rows that depend on what is in it.
func read(h *wire.Host, body []byte, name string) wire.Call {
	c := wire.Read(h, body, name)
	switch {
	case c.Err != nil:
	case c.Native == "SessionStart" && rawjson.GetText(body, "source") == "resume":
		c.Events = append(c.Events, as(c.Events[0], checkrein.OnSessionResume))
	case c.Native == "Notification" && rawjson.GetText(body, "notification_type") == "idle_prompt":
		c.Events = append(c.Events, as(c.Events[0], checkrein.OnUserInput))
	case c.Native == "StopFailure": // what it shows in place of a reply says more than the error's kind
		ev := &c.Events[0]
		for _, key := range [...]string{"error_details", "last_assistant_message", "error"} {
			if ev.Text == "" {
				ev.Text = rawjson.GetText(body, key)
			}
		}
	case c.Native == "PermissionDenied": // which auto mode fires, for its own refusals
		c.Tell(checkrein.OnToolApprovalDecision, "approval_decision", "deny")
		c.Tell(checkrein.OnToolApprovalDecision, "approval_source", "auto_mode_deny")
	case c.Native == "MessageDisplay":
		c.Events[0].Text = rawjson.GetText(body, "delta")
	}
	return c
}

func as(ev checkrein.Event, k checkrein.Kind) checkrein.Event {
	ev.Kind = k
	return ev
}
