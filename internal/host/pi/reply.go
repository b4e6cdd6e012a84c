package pi

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one object for the extension, or nothing.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	o := rawjson.Object{'{'}
	switch denied := s.Decision == checkrein.Deny; c.Native {
	case "tool_call", "": // an event without a name may be this gate
		if denied {
			o.Text("deny", wire.Reason(&s.Verdict))
			break
		}
		if s.Decision == checkrein.Ask {
			o.Text("ask", wire.Reason(&s.Verdict))
		}
		o.Raw("input", s.Input)
	case "tool_result":
		if s.Stop != "" {
			o.Text("deny", s.Stop)
			break
		}
		wire.WriteReplacement(&o, "output", s.Output)
		o.Texts("context", s.Context)
	case "input":
		if denied {
			o.Text("deny", wire.Reason(&s.Verdict))
			break
		}
		wire.WriteReplacement(&o, "text", s.Output)
		o.Texts("context", s.Context)
	case "session_start", "context":
		o.Texts("context", s.Context)
	case assistantEnd:
		wire.WriteReplacement(&o, "text", s.Output)
	case "agent_before_settle":
		if denied {
			o.Text("redo", wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "session_before_compact":
		if denied {
			o.Text("deny", wire.Reason(&s.Verdict))
		}
	}
	o.Texts("notice", s.Notice)
	return wire.ObjectReply(o)
}
