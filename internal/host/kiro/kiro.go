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
	About:  "Hooks in the configuration file of each agent, so they guard only the agents that have them. The Kiro IDE has hooks of another kind (.kiro/hooks), which this is not for. Not run here.",
	Waits:  30 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Say: say,
}

const context = checkrein.CanAddContext

var events = []wire.Event{
	{Native: "agentSpawn", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}, Wired: true},
	{Native: "userPromptSubmit", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: context}, {Kind: checkrein.TurnStart, Honours: context}}, Wired: true,
		Note: "a prompt cannot be refused: the reason reaches the model"},
	{Native: "preToolUse", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: checkrein.CanDeny}}, Wired: true, Note: "there is no ask, so it is a denial"},
	{Native: "postToolUse", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform}, {Kind: checkrein.PostToolUse}, {Kind: checkrein.PostToolUseFailure}}, Wired: true,
		Note: "nothing can be changed; a tool that failed is post_tool_use_failure too"},
	{Native: "stop", Rows: []wire.Row{{Kind: checkrein.Stop}, {Kind: checkrein.TurnEnd}}, Wired: true, Note: "nothing keeps the agent going"},
}

const seen = "2.x, documented"

var quirks = []wire.Quirk{
	{ID: "per-agent", Seen: seen, Does: "Hooks belong to one agent's file; the others, the built-in one too, run without them.", We: "install writes into the agent files that are there and names those that it cannot reach.", Fixture: "agentSpawn.json"},
	{ID: "exit-2-only-before-tools", Seen: seen, Does: "Exit code 2 blocks on preToolUse alone, and stderr is the reason.", We: "It is used nowhere else.", Fixture: "preToolUse.json"},
	{ID: "no-json", Seen: seen, Does: "JSON on stdout is a text like any other, and becomes context.", We: "Context is sent as plain text, and stdout is empty where there is none.", Fixture: "userPromptSubmit.json"},
	{ID: "person-hears-failures-only", Seen: seen, Does: "At exit code 0 nothing is shown to the person; with another one stderr is shown, and the action goes on.", We: "A notice without context goes out with exit code 1.", Fixture: "postToolUse.json"},
	{ID: "answers-are-cached", Seen: seen, Does: "With cache_ttl_seconds an answer is used again for other calls.", We: "install leaves it at 0.", Fixture: "preToolUse.json"},
	{ID: "matchers-are-no-regexps", Seen: seen, Does: "A matcher is a name, @server, @server/tool or has a * in it.", We: "install wires *, and matching is ours.", Fixture: "preToolUse.mcp.json"},
	{ID: "servers-tools", Seen: seen, Does: "A tool of a server is called @server/tool.", We: "Matchers see mcp:server/tool.", Fixture: "preToolUse.mcp.json"},
	{ID: "paths-in-operations", Seen: seen, Does: "The read tool has its files in a list of operations.", We: "They are listed as paths beside it.", Fixture: "preToolUse.read.json"},
	{ID: "open-on-failure", Seen: seen, Does: "A hook that fails, is late (30 seconds) or is missing lets the tool run.", We: "Our own faults are exit code 2 there, in time; the line that install writes denies where we are missing or die.", Fixture: "preToolUse.json"},
}

// say speaks by exit code. Where there is context it goes first: an exit code by
// which the person is told would lose it.
func say(c *wire.Call, outs []engine.Outcome) checkrein.Reply {
	s := c.Together(outs)
	var r checkrein.Reply
	if s.Stop != "" {
		s.Notice = append([]string{"a hook wanted to stop the run, which Kiro CLI cannot do: " + s.Stop}, s.Notice...)
	}
	switch {
	case s.Decision == checkrein.Deny: // only before tools, and where nobody can name the event
		r.Exit = 2
		s.Notice = append([]string{wire.Reason(&s.Verdict)}, s.Notice...)
	case len(s.Context) > 0:
		r.Stdout = []byte(wire.Lines(s.Context) + "\n")
	case len(s.Notice) > 0:
		r.Exit = 1
	}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.Lines(s.Notice) + "\n")
	}
	return r
}
