// Package windsurf is the wire of Windsurf's Cascade hooks.
//
// The exit code is all that Windsurf reads: 2 blocks what is about to happen, and
// stderr says why. Nothing that is printed on stdout has a meaning.
package windsurf

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Windsurf.
var Host = wire.Host{
	Name: "windsurf", Title: "Windsurf", Version: "Cascade hooks", Mark: wire.Documented,
	About:  "Hooks in hooks.json of the machine, the person and the workspace; all of them run. They can refuse and nothing else; a hook that crashes lets the action happen. Not run here.",
	Editor: true,
	Waits:  60 * time.Second, // not documented
	Events: events, Quirks: quirks,
	Read: read, Say: say,
}

const deny = checkrein.CanDeny

var (
	before = []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny}}
	after  = []wire.Row{{Kind: checkrein.PostToolUse}}
)

var events = []wire.Event{
	{Native: "pre_user_prompt", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny}, {Kind: checkrein.TurnStart}}, Wired: true},
	{Native: "pre_read_code", Rows: before, Wired: true, Note: "the tool read_code; may name a folder"},
	{Native: "pre_write_code", Rows: before, Wired: true, Note: "the tool write_code: edit, or write where nothing was there before"},
	{Native: "pre_run_command", Rows: before, Wired: true, Note: "the tool run_command"},
	{Native: "pre_mcp_tool_use", Rows: before, Wired: true},
	{Native: "post_read_code", Rows: after, Wired: true},
	{Native: "post_write_code", Rows: after, Wired: true},
	{Native: "post_run_command", Rows: after, Wired: true, Note: "without the output"},
	{Native: "post_mcp_tool_use", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform}, {Kind: checkrein.PostToolUse}}, Wired: true, Note: "what a tool returned cannot be replaced"},
	{Native: "post_cascade_response", Rows: []wire.Row{{Kind: checkrein.OnResponseEnd}, {Kind: checkrein.Stop}, {Kind: checkrein.TurnEnd}}, Wired: true, Note: "nothing keeps the agent going"},
	{Native: "post_cascade_response_with_transcript", Note: "post_cascade_response has it too"},
	{Native: "post_setup_worktree", Rows: []wire.Row{{Kind: checkrein.WorktreeCreate}}, Wired: true},
}

const seen = "documented"

var quirks = []wire.Quirk{
	{ID: "exit-code-is-all", Seen: seen, Does: "Exit code 2 blocks before an action; stdout is not read, and any other exit code lets the action happen.", We: "A denial is exit code 2 with the reason on stderr, which the agent is shown.", Fixture: "pre_run_command.json"},
	{ID: "no-ask", Seen: seen, Does: "There is no ask, no rewriting and no context.", We: "An ask is a denial; what else cannot be done is told on stderr.", Fixture: "pre_write_code.json"},
	{ID: "open-on-crash", Seen: seen, Does: "A hook that crashes lets the action happen, and there is no time limit to set.", We: "Our own faults are exit code 2 before an action, and the time limit is ours; the line that install writes denies where we are missing or die.", Fixture: "pre_mcp_tool_use.json"},
	{ID: "after-is-too-late", Seen: seen, Does: "After an action exit code 2 does nothing.", We: "There it is exit code 0, and the person is told on stderr.", Fixture: "post_run_command.json"},
	{ID: "no-tool-names", Seen: seen, Does: "Payloads name no tool, but the event.", We: "The event's own words are the tool's name, and matchers see read, write, edit, shell and mcp:server/tool.", Fixture: "pre_read_code.json"},
	{ID: "no-project", Seen: seen, Does: "Payloads do not say the project.", We: "It is the directory that the hook is started in.", Fixture: "pre_user_prompt.json"},
	{ID: "no-call-id", Seen: seen, Does: "Tool events carry no id of the call.", We: "Calls are told apart by tool and arguments.", Fixture: "post_mcp_tool_use.json"},
}

// say refuses by exit code; whatever else there is to say goes to stderr.
func say(c *wire.Call, outs []engine.Outcome) checkrein.Reply {
	s := c.Together(outs)
	var r checkrein.Reply
	if s.Stop != "" {
		s.Notice = append([]string{"a hook wanted to stop the run, which Windsurf cannot do: " + s.Stop}, s.Notice...)
	}
	if s.Decision == checkrein.Deny {
		r.Exit = 2
		s.Notice = append([]string{wire.Reason(&s.Verdict)}, s.Notice...)
	}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.Lines(s.Notice) + "\n")
	}
	return r
}
