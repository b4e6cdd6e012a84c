package openclaw

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one object for the plugin, or nothing.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	o := rawjson.Object{'{'}
	switch c.Native {
	case "before_tool_call", "": // an event without a name may be this gate
		writeToolCall(&o, &s, c.Events[0].Tool)
	case "before_prompt_build":
		if s.Decision == checkrein.Deny {
			o.Text("deny", wire.Reason(&s.Verdict))
			break
		}
		o.Texts("context", s.Context)
	case "before_agent_finalize":
		if s.Decision == checkrein.Deny {
			o.Text("redo", wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "message_sending":
		if s.Decision == checkrein.Deny {
			o.Text("deny", wire.Reason(&s.Verdict))
			break
		}
		wire.WriteReplacement(&o, "text", s.Output)
	case "tool_result_persist":
		wire.WriteReplacement(&o, "output", s.Output)
		if s.Output != nil {
			s.Notice = append(s.Notice, "the output of "+c.Events[0].Tool.Name+" was replaced only in the transcript: in the current turn, the model has seen the original")
		}
	case assistantWrite:
		wire.WriteReplacement(&o, "text", s.Output)
		if s.Output != nil {
			s.Notice = append(s.Notice, "a reply was rewritten only in the transcript: the user saw the original")
		}
	case "after_tool_call":
		if s.Stop != "" {
			s.Notice = append(s.Notice, "a hook tried to stop the run, but OpenClaw does not support that: "+s.Stop)
		}
	}
	o.Texts("notice", s.Notice)
	return wire.ObjectReply(o)
}

func writeToolCall(o *rawjson.Object, s *wire.Combined, t *checkrein.Tool) {
	if s.Decision != checkrein.Deny && s.Input != nil {
		if key, gone := findRemoved(t.Input, s.Input); gone {
			s.Decision, s.Reason = checkrein.Deny, "checkrein blocked this call: a hook removed the argument "+key+". OpenClaw cannot remove arguments: it merges changes into the original ones."
		}
	}
	switch s.Decision {
	case checkrein.Deny:
		o.Text("deny", wire.Reason(&s.Verdict))
		return
	case checkrein.Ask:
		o.Text("ask", wire.Reason(&s.Verdict))
	}
	o.Raw("params", s.Input)
}

// findRemoved returns the first argument in was that is missing in is. It reports false if there is
// none.
func findRemoved(was, is []byte) (string, bool) {
	name, gone := "", false
	rawjson.Each(was, func(key string, _ []byte) bool {
		_, has := rawjson.Get(is, key)
		name, gone = key, !has
		return has
	})
	return name, gone
}
