// Package kiro is the wire of Kiro CLI, which was Amazon Q Developer CLI.
//
// It reads no JSON: exit code 2 before a tool refuses it, plain text at exit code
// 0 is context where an event takes any, and what the person is to see must come
// with an exit code that is neither.
package kiro

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Kiro CLI.
var Host = wire.Host{
	Name: "kiro", Title: "Kiro CLI", Version: "2.x", Mark: wire.Documented,
	About:  "Hooks go in each agent's configuration file, so they guard only the agents that have them. The Kiro IDE's own hooks (.kiro/hooks) are a different mechanism that checkrein does not use. Not tested with a real host.",
	Waits:  30 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Say: say,
}

const context = checkrein.CanAddContext

var events = []wire.Event{
	{Native: "agentSpawn", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}, Wired: true},
	{Native: "userPromptSubmit", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: context}, {Kind: checkrein.TurnStart, Honours: context}}, Wired: true,
		Note: "a prompt cannot be denied, so the model gets the reason"},
	{Native: "preToolUse", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: checkrein.CanDeny}}, Wired: true, Note: "the host cannot ask, so an ask is a denial"},
	{Native: "postToolUse", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform}, {Kind: checkrein.PostToolUse}, {Kind: checkrein.PostToolUseFailure}}, Wired: true,
		Note: "nothing can be changed; for a failed tool call, post_tool_use_failure fires too"},
	{Native: "stop", Rows: []wire.Row{{Kind: checkrein.Stop}, {Kind: checkrein.TurnEnd}}, Wired: true, Note: "a hook cannot keep the agent working"},
}

const seen = "2.x, documented"

var quirks = []wire.Quirk{
	{ID: "per-agent", Seen: seen, Does: "Hooks belong to one agent's file. Other agents, including the built-in one, run without them.", We: "install writes into the existing agent files and names the agents that it cannot reach.", Fixture: "agentSpawn.json"},
	{ID: "exit-2-only-before-tools", Seen: seen, Does: "Exit code 2 blocks only on preToolUse, with stderr as the reason.", We: "checkrein uses exit code 2 nowhere else.", Fixture: "preToolUse.json"},
	{ID: "no-json", Seen: seen, Does: "JSON on stdout is treated as plain text and becomes context.", We: "checkrein sends context as plain text, and leaves stdout empty if there is none.", Fixture: "userPromptSubmit.json"},
	{ID: "person-hears-failures-only", Seen: seen, Does: "With exit code 0, the user sees nothing. With any other exit code, stderr is shown, and the action goes on.", We: "If there is a notice but no context, checkrein sends it with exit code 1, except on preToolUse, where the installed line would block the call.", Fixture: "postToolUse.json"},
	{ID: "answers-are-cached", Seen: seen, Does: "With cache_ttl_seconds, an answer is reused for other calls.", We: "install leaves it at 0.", Fixture: "preToolUse.json"},
	{ID: "matchers-are-no-regexps", Seen: seen, Does: "A matcher is a name, @server or @server/tool, and may contain *.", We: "install wires *, and checkrein does the matching.", Fixture: "preToolUse.mcp.json"},
	{ID: "servers-tools", Seen: seen, Does: "An MCP tool is called @server/tool.", We: "Matchers see mcp:server/tool.", Fixture: "preToolUse.mcp.json"},
	{ID: "paths-in-operations", Seen: seen, Does: "The read tool lists its files in operations.", We: "checkrein adds them as paths.", Fixture: "preToolUse.read.json"},
	{ID: "open-on-failure", Seen: seen, Does: "If a hook fails, is late (30 seconds) or is missing, the tool runs.", We: "There, checkrein reports its own errors with exit code 2, in time. If checkrein is missing or dies, the command line that install writes denies.", Fixture: "preToolUse.json"},
}

// say speaks by exit code. Where there is context it goes first: an exit code by
// which the person is told would lose it.
func say(c *wire.Call, outs []engine.Outcome) checkrein.Reply {
	s := c.Together(outs)
	var r checkrein.Reply
	if s.Stop != "" {
		s.Notice = append([]string{"a hook tried to stop the run, but Kiro CLI does not support that: " + s.Stop}, s.Notice...)
	}
	switch {
	case s.Decision == checkrein.Deny: // only before tools, and where nobody can name the event
		r.Exit = 2
		s.Notice = append([]string{wire.Reason(&s.Verdict)}, s.Notice...)
	case len(s.Context) > 0:
		r.Stdout = []byte(wire.Lines(s.Context) + "\n")
	case len(s.Notice) > 0 && c.Event != nil && !c.Event.Gates(): // at gates the installed line blocks on 1
		r.Exit = 1
	}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.Lines(s.Notice) + "\n")
	}
	return r
}
