// Package kimi implements the wire of Kimi Code CLI.
//
// Kimi has Claude Code's events but reads almost nothing of its answers: it only blocks a tool, a
// prompt or a stop on exit code 2, with the reason on stderr.
package kimi

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is Kimi Code CLI.
var Host = wire.Host{
	Name: "kimi", Title: "Kimi Code CLI", Version: "1.49.0", Mark: wire.Documented,
	About:  "Hooks go in ~/.kimi/config.toml, for the user only. Kimi does not read HOOK.md files; checkrein runs them for it. If a hook fails, is late or is missing, the tool runs. Not tested with a real host.",
	Waits:  30 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Encode: encode,
}

// read reads a payload, after converting its names to the common ones.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hook_event_name")
	}
	o := rawjson.Object{'{'}
	switch name {
	case "SubagentStart", "SubagentStop":
		if val, ok := rawjson.Get(body, "agent_name"); ok {
			o.Raw("subagent_name", val)
			o.Raw("subagent_type", val) // the name is also the type
		}
		if name == "SubagentStart" {
			o.Raw("agent_name", []byte("null")) // the event comes from the parent
			renameMember(&o, body, "prompt", "task_description")
		}
	case "StopFailure":
		renameMember(&o, body, "error_message", "notification_message")
	case "Notification":
		renameMember(&o, body, "body", "notification_message")
		renameMember(&o, body, "severity", "notification_level")
	}
	o.Close()
	flat, err := rawjson.Patch(body, o)
	if err != nil || len(body) == 0 {
		return wire.Read(h, body, name)
	}
	return wire.ReadAs(h, body, flat, name)
}

func renameMember(o *rawjson.Object, body []byte, from, to string) {
	if val, ok := rawjson.Get(body, from); ok {
		o.Raw(to, val)
		o.Raw(from, []byte("null"))
	}
}

// encode blocks by exit code. stderr is then the reason, so notices are left out; otherwise they go to
// stderr for the log.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	if s.Decision == checkrein.Deny {
		v := s.Verdict
		if s.Redo != "" {
			v.Reason = s.Redo
		}
		return wire.Reply{Exit: 2, Stderr: []byte(wire.Reason(&v) + "\n")}
	}
	if s.Stop != "" {
		s.Notice = append([]string{"a hook tried to stop the run, but Kimi Code CLI does not support that: " + s.Stop}, s.Notice...)
	}
	if len(s.Notice) == 0 {
		return wire.Reply{}
	}
	return wire.Reply{Stderr: []byte(wire.JoinLines(s.Notice) + "\n")}
}
