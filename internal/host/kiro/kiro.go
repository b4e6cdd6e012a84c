// Package kiro is the wire of Kiro CLI, which was Amazon Q Developer CLI.
//
// It reads no JSON: exit code 2 before a tool refuses it, plain text at exit code
// 0 is context where an event takes any, and what the person is to see must come
// with an exit code that is neither.
package kiro

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Kiro CLI.
var Host = wire.Host{
	Name: "kiro", Title: "Kiro CLI", Version: "2.x", Mark: wire.Documented,
	About:  "Hooks go in each agent's configuration file, so they guard only the agents that have them. The Kiro IDE's own hooks (.kiro/hooks) are a different mechanism that checkrein does not use. Not tested with a real host.",
	Waits:  30 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Encode: say,
}

// say speaks by exit code. Where there is context it goes first: an exit code by
// which the person is told would lose it.
func say(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	var r wire.Reply
	if s.Stop != "" {
		s.Notice = append([]string{"a hook tried to stop the run, but Kiro CLI does not support that: " + s.Stop}, s.Notice...)
	}
	switch {
	case s.Decision == checkrein.Deny: // only before tools, and where nobody can name the event
		r.Exit = 2
		s.Notice = append([]string{wire.Reason(&s.Verdict)}, s.Notice...)
	case len(s.Context) > 0:
		r.Stdout = []byte(wire.JoinLines(s.Context) + "\n")
	case len(s.Notice) > 0 && c.Event != nil && !c.Event.IsGate(): // at gates the installed line blocks on 1
		r.Exit = 1
	}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.JoinLines(s.Notice) + "\n")
	}
	return r
}
