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
	About:  "Hooks go in the machine's, the user's and the workspace's hooks.json; all of them run. They can only deny. If a hook crashes, the action goes on. Not tested with a real host.",
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
	{Native: "pre_read_code", Rows: before, Wired: true, Note: "the tool read_code; the path may be a folder"},
	{Native: "pre_write_code", Rows: before, Wired: true, Note: "the tool write_code: edit, or write if the file is new"},
	{Native: "pre_run_command", Rows: before, Wired: true, Note: "the tool run_command"},
	{Native: "pre_mcp_tool_use", Rows: before, Wired: true},
	{Native: "post_read_code", Rows: after, Wired: true},
	{Native: "post_write_code", Rows: after, Wired: true},
	{Native: "post_run_command", Rows: after, Wired: true, Note: "does not include the output"},
	{Native: "post_mcp_tool_use", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform}, {Kind: checkrein.PostToolUse}}, Wired: true, Note: "a tool's output cannot be replaced"},
	{Native: "post_cascade_response", Rows: []wire.Row{{Kind: checkrein.OnResponseEnd}, {Kind: checkrein.Stop}, {Kind: checkrein.TurnEnd}}, Wired: true, Note: "a hook cannot keep the agent working"},
	{Native: "post_cascade_response_with_transcript", Note: "post_cascade_response reports the same"},
	{Native: "post_setup_worktree", Rows: []wire.Row{{Kind: checkrein.WorktreeCreate}}, Wired: true},
}

const seen = "documented"

var quirks = []wire.Quirk{
	{ID: "exit-code-is-all", Seen: seen, Does: "Exit code 2 blocks before an action. stdout is not read, and any other exit code lets the action go on.", We: "checkrein denies with exit code 2 and the reason on stderr, which the agent sees.", Fixture: "pre_run_command.json"},
	{ID: "no-ask", Seen: seen, Does: "Hooks cannot ask, rewrite or add context.", We: "checkrein sends an ask as a denial, and reports on stderr what else it could not do.", Fixture: "pre_write_code.json"},
	{ID: "open-on-crash", Seen: seen, Does: "If a hook crashes, the action goes on. There is no timeout setting.", We: "Before an action, checkrein reports its own errors with exit code 2, and sets its own time limit. If checkrein is missing or dies, the command line that install writes denies.", Fixture: "pre_mcp_tool_use.json"},
	{ID: "after-is-too-late", Seen: seen, Does: "After an action, exit code 2 has no effect.", We: "There, checkrein uses exit code 0 and tells the user on stderr.", Fixture: "post_run_command.json"},
	{ID: "no-tool-names", Seen: seen, Does: "Payloads name the event, but no tool.", We: "checkrein uses the event's name as the tool's name. Matchers see read, write, edit, shell and mcp:server/tool.", Fixture: "pre_read_code.json"},
	{ID: "no-project", Seen: seen, Does: "Payloads do not name the project.", We: "checkrein uses the directory that the hook starts in.", Fixture: "pre_user_prompt.json"},
	{ID: "no-call-id", Seen: seen, Does: "Tool events carry no call ID.", We: "checkrein identifies a call by its tool and arguments.", Fixture: "post_mcp_tool_use.json"},
}

// say refuses by exit code; whatever else there is to say goes to stderr.
func say(c *wire.Call, outs []engine.Outcome) checkrein.Reply {
	s := c.Together(outs)
	var r checkrein.Reply
	if s.Stop != "" {
		s.Notice = append([]string{"a hook tried to stop the run, but Windsurf does not support that: " + s.Stop}, s.Notice...)
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
