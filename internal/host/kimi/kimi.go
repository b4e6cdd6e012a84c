// Package kimi is the wire of Kimi Code CLI.
//
// It has Claude Code's events and reads next to nothing of Claude Code's answers:
// exit code 2 with a reason on stderr blocks a tool, a prompt or a stop, and
// that is all.
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
	Read: read, Encode: say,
}

// read takes a sub-agent's name for what it is.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hook_event_name")
	}
	o := rawjson.Object{'{'}
	switch name {
	case "SubagentStart", "SubagentStop":
		if val, ok := rawjson.Get(body, "agent_name"); ok {
			o.Raw("subagent_name", val)
			o.Raw("subagent_type", val) // a sub-agent is called what it is
		}
		if name == "SubagentStart" {
			o.Raw("agent_name", []byte("null")) // its parent is at work
			moved(&o, body, "prompt", "task_description")
		}
	case "StopFailure":
		moved(&o, body, "error_message", "notification_message")
	case "Notification":
		moved(&o, body, "body", "notification_message")
		moved(&o, body, "severity", "notification_level")
	}
	o.Close()
	flat, err := rawjson.Patch(body, o)
	if err != nil || len(body) == 0 {
		return wire.Read(h, body, name)
	}
	return wire.ReadAs(h, body, flat, name)
}

func moved(o *rawjson.Object, body []byte, from, to string) {
	if val, ok := rawjson.Get(body, from); ok {
		o.Raw(to, val)
		o.Raw(from, []byte("null"))
	}
}

// say blocks by exit code. With it stderr is the reason, so notices are left out
// there; without it they are for whoever reads the log.
func say(c *wire.Call, outs []engine.Outcome) wire.Reply {
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
