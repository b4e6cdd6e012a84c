package hermes

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one action, or {} if there is none.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	if s.Stop != "" {
		s.Notice = append([]string{"a hook tried to stop the run, but Hermes Agent does not support that: " + s.Stop}, s.Notice...)
	}
	o := rawjson.Object{'{'}
	var r wire.Reply
	switch c.Native {
	case "pre_tool_call", "": // an event without a name may be this gate
		r.Exit = writeToolCall(&o, &s, c.Events[0].Tool)
	case "pre_verify":
		if s.Decision == checkrein.Deny {
			o.Text("action", "continue")
			o.Text("message", wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "pre_llm_call":
		o.Text("context", wire.JoinLines(s.Context))
	}
	o.Close()
	r.Stdout = append(o, '\n')
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.JoinLines(s.Notice) + "\n")
	}
	return r
}

// writeToolCall writes the answer before a tool, and returns the exit code.
func writeToolCall(o *rawjson.Object, s *wire.Combined, t *checkrein.Tool) int {
	switch {
	case s.Decision == checkrein.Deny:
		o.Text("action", "block")
		o.Text("message", wire.Reason(&s.Verdict))
		return 2
	case s.Decision == checkrein.Ask && s.Input != nil:
		o.Text("action", "block")
		o.Text("message", "checkrein blocked this call: one hook changed it, and another wanted to ask the user. Hermes Agent cannot do both, so the user was not asked.\n"+wire.Reason(&s.Verdict))
		return 2
	case s.Decision == checkrein.Ask:
		o.Text("action", "approve")
		o.Text("message", wire.Reason(&s.Verdict))
		o.Text("rule_key", ruleKey(t))
	case s.Input != nil:
		o.Text("action", "modify")
		o.Raw("args", wire.DiffArguments(t.Input, s.Input))
	}
	return 0
}

// ruleKey returns the key under which Hermes may store an approval of exactly this call.
func ruleKey(t *checkrein.Tool) string {
	sum := sha256.Sum256([]byte(t.Name + "\x00" + string(t.Input)))
	return "checkrein:" + t.Name + ":" + hex.EncodeToString(sum[:8])
}
