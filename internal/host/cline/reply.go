package cline

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes the same object for every event. Notices go to stderr, which Cline shows with the
// hook.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	reason := s.Stop
	if s.Decision == checkrein.Deny {
		reason = wire.Reason(&s.Verdict)
	}
	o := rawjson.Object{'{'}
	if reason == "" {
		o.Raw("cancel", []byte("false"))
	} else {
		o.Raw("cancel", []byte("true"))
		o.Text("errorMessage", reason)
		s.Context = append([]string{reason}, s.Context...) // the model does not see errorMessage
	}
	o.Text("contextModification", wire.JoinLines(s.Context))
	o.Close()
	r := wire.Reply{Stdout: append(o, '\n')}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.JoinLines(s.Notice) + "\n")
	}
	return r
}
