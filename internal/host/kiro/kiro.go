// Package kiro implements the wire of Kiro CLI, formerly Amazon Q Developer CLI.
//
// Kiro does not read JSON. Exit code 2 before a tool denies the call, plain text at exit code 0 is
// context on events that take context, and stderr reaches the user only with another exit code.
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
	Read: read, Encode: encode,
}

// encode answers by exit code. Context takes precedence over notices, because the exit code that shows
// notices to the user would drop it.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	var r wire.Reply
	if s.Stop != "" {
		s.Notice = append([]string{"a hook tried to stop the run, but Kiro CLI does not support that: " + s.Stop}, s.Notice...)
	}
	switch {
	case s.Decision == checkrein.Deny: // before tools, or on an event without a name
		r.Exit = 2
		s.Notice = append([]string{wire.Reason(&s.Verdict)}, s.Notice...)
	case len(s.Context) > 0:
		r.Stdout = []byte(wire.JoinLines(s.Context) + "\n")
	case len(s.Notice) > 0 && c.Event != nil && !c.Event.IsGate(): // at gates, the installed command line blocks on exit code 1
		r.Exit = 1
	}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.JoinLines(s.Notice) + "\n")
	}
	return r
}
