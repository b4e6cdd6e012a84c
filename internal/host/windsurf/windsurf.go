// Package windsurf implements the wire of Windsurf's Cascade hooks.
//
// Windsurf reads only the exit code: 2 blocks what is about to happen, with the reason on stderr. It
// ignores stdout.
package windsurf

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Windsurf.
var Host = wire.Host{
	Name: "windsurf", Title: "Windsurf", Version: "Cascade hooks", Mark: wire.Documented,
	About:    "Hooks go in the machine's, the user's and the workspace's hooks.json; all of them run. They can only deny. If a hook crashes, the action goes on. Not tested with a real host.",
	IsEditor: true,
	Waits:    60 * time.Second, // not documented
	Events:   events, Quirks: quirks,
	Read: read, Encode: encode,
}

// encode denies by exit code, and writes reasons and notices to stderr.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	var r wire.Reply
	if s.Stop != "" {
		s.Notice = append([]string{"a hook tried to stop the run, but Windsurf does not support that: " + s.Stop}, s.Notice...)
	}
	if s.Decision == checkrein.Deny {
		r.Exit = 2
		s.Notice = append([]string{wire.Reason(&s.Verdict)}, s.Notice...)
	}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.JoinLines(s.Notice) + "\n")
	}
	return r
}
