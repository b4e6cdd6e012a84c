package qwen

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one object, or nothing if it would be empty.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	o := rawjson.Object{'{'}
	switch c.Native {
	case "PreToolUse", "": // an event without a name may be this gate
		if s.Decision == checkrein.Deny {
			writeDenial(&o, wire.Reason(&s.Verdict))
		}
	case "PermissionRequest":
		if !wire.WritePermission(&o, &s) {
			return wire.Reply{} // Qwen treats two answers without a decision as a denial
		}
	case "PostToolUse":
		writePostToolUse(&o, &s, c.Events[0].Tool)
	case "PostToolUseFailure":
		if s.Stop != "" {
			s.Context = append([]string{s.Stop}, s.Context...)
		}
		wire.WriteContext(&o, c.Native, s.Context)
	case "SessionStart":
		wire.WriteContext(&o, c.Native, s.Context)
	case "Stop", "SubagentStop":
		if s.Decision == checkrein.Deny {
			wire.WriteBlock(&o, wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "UserPromptSubmit":
		if s.Decision == checkrein.Deny {
			wire.WriteBlock(&o, wire.Reason(&s.Verdict))
			break
		}
		wire.WriteContext(&o, c.Native, s.Context)
	}
	o.Text("systemMessage", wire.JoinLines(s.Notice))
	return wire.ObjectReply(o)
}

// writeStop refuses a call before it runs, or hides its output afterwards. The agent continues with
// the reason.
func writeStop(o *rawjson.Object, reason string) {
	o.Raw("continue", []byte("false"))
	o.Text("stopReason", reason)
}

// writeDenial writes a denial in every form. If there are two hooks, the permissionDecision of the
// later one overrides any decision, but nothing overrides a stop.
func writeDenial(o *rawjson.Object, reason string) {
	o.Text("decision", "deny")
	o.Text("reason", reason)
	writeStop(o, reason)
	wire.WriteSpecific(o, "PreToolUse", func() {
		o.Text("permissionDecision", "deny")
		o.Text("permissionDecisionReason", reason)
	})
}

// writePostToolUse replaces the output that the model sees with the reason of a denial and the
// rewritten output. Qwen drops context beside a replaced output, so the context becomes part of the
// text. A note that was only appended to the output is sent as context.
func writePostToolUse(o *rawjson.Object, s *wire.Combined, t *checkrein.Tool) {
	var seen []string
	if s.Stop != "" {
		seen = append(seen, s.Stop)
	}
	if s.Output != nil {
		if note, ok := wire.AppendedNote(t.Output, s.Output); ok && s.Stop == "" {
			s.Context = append([]string{note}, s.Context...)
		} else {
			seen = append(seen, wire.OutputText(s.Output))
		}
	}
	if len(seen) == 0 {
		wire.WriteContext(o, "PostToolUse", s.Context)
		return
	}
	writeStop(o, wire.JoinLines(append(seen, s.Context...)))
}
