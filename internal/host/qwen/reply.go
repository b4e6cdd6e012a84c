package qwen

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// say writes one object, or nothing when there is nothing to say.
func say(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	o := rawjson.Object{'{'}
	switch c.Native {
	case "PreToolUse", "": // what nobody can name may be a gate
		if s.Decision == checkrein.Deny {
			refuse(&o, wire.Reason(&s.Verdict))
		}
	case "PermissionRequest":
		if !wire.WritePermission(&o, &s) {
			return wire.Reply{} // two answers without a decision are a denial
		}
	case "PostToolUse":
		postToolUse(&o, &s, c.Events[0].Tool)
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

// stop refuses a call before it runs and hides what it returned after; the agent
// goes on with the reason.
func stop(o *rawjson.Object, reason string) {
	o.Raw("continue", []byte("false"))
	o.Text("stopReason", reason)
}

// refuse writes a denial in every form: of two hooks the later one's
// permissionDecision counts, before any decision, but nothing undoes a stop.
func refuse(o *rawjson.Object, reason string) {
	o.Text("decision", "deny")
	o.Text("reason", reason)
	stop(o, reason)
	wire.WriteSpecific(o, "PreToolUse", func() {
		o.Text("permissionDecision", "deny")
		o.Text("permissionDecisionReason", reason)
	})
}

// postToolUse puts what the model shall see in the place of the output: the
// reason of a denial, and the output as it was rewritten. Context beside that
// would be lost, so it goes into the text. A note that was added to the output
// goes as context.
func postToolUse(o *rawjson.Object, s *wire.Combined, t *checkrein.Tool) {
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
	stop(o, wire.JoinLines(append(seen, s.Context...)))
}
