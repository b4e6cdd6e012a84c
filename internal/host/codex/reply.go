package codex

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one object with keys that the event has, or nothing.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	o := rawjson.Object{'{'}
	switch c.Native {
	case "PreToolUse", "": // an event without a name may be this gate
		writePreToolUse(&o, &s)
	case "PermissionRequest":
		wire.WritePermission(&o, &s)
	case "PostToolUse":
		writePostToolUse(&o, &s)
	case "Stop", "SubagentStop":
		if s.Decision == checkrein.Deny {
			wire.WriteBlock(&o, wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "PreCompact":
		if s.Decision == checkrein.Deny {
			o.Raw("continue", []byte("false"))
			o.Text("stopReason", wire.Reason(&s.Verdict))
		}
	case "UserPromptSubmit":
		if s.Decision == checkrein.Deny {
			wire.WriteBlock(&o, wire.Reason(&s.Verdict))
			break
		}
		wire.WriteContext(&o, c.Native, s.Context)
	case "SessionStart", "SubagentStart":
		wire.WriteContext(&o, c.Native, s.Context)
	}
	if len(s.Notice) > 0 && (len(o) == 1 || takesNotice(c.Native)) {
		o.Text("systemMessage", wire.JoinLines(s.Notice))
	}
	return wire.ObjectReply(o)
}

// takesNotice reports whether Codex is known to accept a message to the user beside the other keys of
// its answer to the event native. For other events it may discard the whole answer.
func takesNotice(native string) bool {
	switch native {
	case "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop":
		return true
	}
	return false
}

func writePreToolUse(o *rawjson.Object, s *wire.Combined) {
	denies := s.Decision == checkrein.Deny
	if !denies && s.Input == nil && len(s.Context) == 0 {
		return
	}
	wire.WriteSpecific(o, "PreToolUse", func() {
		switch {
		case denies:
			o.Text("permissionDecision", "deny")
			o.Text("permissionDecisionReason", wire.Reason(&s.Verdict))
		case s.Input != nil:
			o.Text("permissionDecision", "allow") // Codex refuses a new input without it
			o.Raw("updatedInput", s.Input)
		}
		if len(s.Context) > 0 {
			o.Text("additionalContext", wire.JoinLines(s.Context))
		}
	})
}

// writePostToolUse replaces the output that the model sees with the reason of a denial, the rewritten
// output or both.
func writePostToolUse(o *rawjson.Object, s *wire.Combined) {
	seen := s.Stop
	if s.Output != nil {
		text, ok := rawjson.Text(s.Output)
		if !ok {
			text = string(s.Output)
		}
		if text == "" {
			text = "(no output)" // a block needs a reason
		}
		if seen != "" {
			seen += "\n"
		}
		seen += text
	}
	if seen != "" {
		wire.WriteBlock(o, seen)
	}
	wire.WriteContext(o, "PostToolUse", s.Context)
}
