package grok

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
		writePreToolUse(&o, &s)
	case "PostToolUse", "PostToolUseFailure":
		writePostToolUse(&o, &s, &c.Events[0])
	case "UserPromptSubmit":
		if s.Decision == checkrein.Deny {
			wire.WriteBlock(&o, wire.Reason(&s.Verdict))
		}
	case "Stop", "SubagentStop":
		if s.Decision == checkrein.Deny {
			wire.WriteBlock(&o, wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	}
	o.Text("systemMessage", wire.JoinLines(s.Notice))
	return wire.ObjectReply(o)
}

func writePreToolUse(o *rawjson.Object, s *wire.Combined) {
	decided := s.Decision == checkrein.Deny || s.Decision == checkrein.Ask
	if !decided && s.Input == nil && len(s.Context) == 0 {
		return
	}
	wire.WriteSpecific(o, "PreToolUse", func() {
		if decided {
			o.Text("permissionDecision", s.Decision.String())
			o.Text("permissionDecisionReason", wire.Reason(&s.Verdict))
		}
		if s.Decision != checkrein.Deny {
			o.Raw("updatedInput", s.Input)
			o.Text("additionalContext", wire.JoinLines(s.Context))
		}
	})
}

// writePostToolUse writes the reason of a denial, context and a replaced output, which must have the
// form of the original.
func writePostToolUse(o *rawjson.Object, s *wire.Combined, ev *checkrein.Event) {
	var output []byte
	if s.Output != nil {
		was, _ := rawjson.Get(ev.Raw, "toolResult")
		text, _ := rawjson.Text(s.Output)
		var ok bool
		if output, ok = withText(was, text); !ok {
			s.Notice = append(s.Notice, "the output of "+ev.Tool.Name+" should have been replaced, but Grok cannot do that for this tool: the model has seen it")
		}
	}
	if s.Stop != "" {
		wire.WriteBlock(o, s.Stop)
	}
	if output == nil && len(s.Context) == 0 {
		return
	}
	wire.WriteSpecific(o, "PostToolUse", func() {
		o.Text("additionalContext", wire.JoinLines(s.Context))
		o.Raw("updatedToolOutput", output)
	})
}
