// Package droid implements the wire of Droid, Factory's agent.
//
// Its hooks and payloads are Claude Code's, but it does not ask its user, and cannot replace the output of a
// tool.
package droid

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is Droid.
var Host = wire.Host{
	Name: "droid", Title: "Droid", Version: "0.215.0", Mark: wire.Observed,
	CommandVars: []string{"FACTORY_EXEC_TARGET_AUTONOMY"}, // observed in droid exec
	About:       "Hooks go in ~/.factory, in Claude Code's format. Droid does not ask on behalf of a hook. If a hook fails, hangs or is missing, the tool runs anyway.",
	Waits:       60 * time.Second,
	Events:      events, Quirks: quirks,
	Read: read, Encode: encode,
}

// read reads a payload and adds the event that depends on its contents.
func read(h *wire.Host, body []byte, name string) wire.Call {
	c := wire.Read(h, body, name)
	if c.Err == nil && c.Native == "Notification" && rawjson.GetText(body, "notification_type") == "idle_prompt" {
		c.Events = append(c.Events, wire.WithKind(c.Events[0], checkrein.OnUserInput))
	}
	return c
}

// encode writes one object, or nothing if it would be empty. A denied call also has exit code 2, which
// the allow of another hook does not undo.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	denied := s.Decision == checkrein.Deny
	var r wire.Reply
	o := rawjson.Object{'{'}
	switch c.Native {
	case "PreToolUse", "": // an event without a name may be this gate
		if denied {
			r.Exit = 2
		}
		writePreToolUse(&o, &s, &c.Events[0])
	case "PreCompact":
		if denied {
			r.Exit, r.Stderr = 2, []byte(wire.Reason(&s.Verdict)+"\n")
		}
	case "Stop":
		if denied {
			wire.WriteBlock(&o, wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	default:
		if len(s.Context) > 0 {
			wire.WriteSpecific(&o, c.Native, func() { o.Text("additionalContext", wire.JoinLines(s.Context)) })
		}
	}
	if s.Stop != "" {
		o.Raw("continue", []byte("false"))
		o.Text("stopReason", s.Stop)
	}
	o.Text("systemMessage", wire.JoinLines(s.Notice))
	r.Stdout = wire.ObjectReply(o).Stdout
	return r
}

func writePreToolUse(o *rawjson.Object, s *wire.Combined, ev *checkrein.Event) {
	denied := s.Decision == checkrein.Deny
	if !denied && s.Input == nil {
		return
	}
	wire.WriteSpecific(o, "PreToolUse", func() {
		if denied {
			o.Text("permissionDecision", "deny")
			o.Text("permissionDecisionReason", wire.Reason(&s.Verdict))
		} else {
			o.Raw("updatedInput", wire.DiffArguments(ev.Tool.Input, s.Input))
		}
	})
}
