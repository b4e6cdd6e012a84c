package cline

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// say writes the same object on every event. What the person is told goes to
// stderr, which Cline shows with the hook.
func say(c *wire.Call, outs []engine.Outcome) wire.Reply {
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
		s.Context = append([]string{reason}, s.Context...) // the model is not shown the message
	}
	o.Text("contextModification", wire.JoinLines(s.Context))
	o.Close()
	r := wire.Reply{Stdout: append(o, '\n')}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.JoinLines(s.Notice) + "\n")
	}
	return r
}
