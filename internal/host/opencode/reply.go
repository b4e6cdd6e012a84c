package opencode

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
	case "tool.execute.before", "": // an event without a name may be this gate
		if s.Decision == checkrein.Deny {
			o.Text("deny", wire.Reason(&s.Verdict))
			break
		}
		o.Raw("args", s.Input)
	case "tool.execute.after":
		if s.Stop != "" {
			o.Text("deny", s.Stop)
			break
		}
		wire.WriteReplacement(&o, "output", s.Output)
		o.Texts("context", s.Context)
	case "chat.message":
		if s.Decision == checkrein.Deny {
			o.Text("deny", wire.Reason(&s.Verdict))
			break
		}
		wire.WriteReplacement(&o, "text", s.Output)
		o.Texts("context", s.Context)
	case "experimental.text.complete":
		wire.WriteReplacement(&o, "text", s.Output)
	case "experimental.chat.system.transform", "experimental.session.compacting":
		o.Texts("context", s.Context)
	case toolError:
		if s.Stop != "" {
			s.Notice = append(s.Notice, "a hook tried to stop the run, but OpenCode does not support that: "+s.Stop)
		}
	}
	o.Texts("notice", s.Notice)
	return wire.ObjectReply(o)
}
