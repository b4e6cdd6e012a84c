package copilot

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// say writes one flat object, or nothing.
func say(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	var r wire.Reply
	o := rawjson.Object{'{'}
	switch c.Native {
	case "preToolUse", "PreToolUse", "": // what nobody can name may be a gate
		if s.Decision == checkrein.Deny {
			r.Exit = 2
		}
		toolUse(&o, &s)
	case "permissionRequest", "PermissionRequest":
		if s.Decision == checkrein.Allow || s.Decision == checkrein.Deny {
			o.Text("behavior", s.Decision.String())
		}
		if s.Decision == checkrein.Deny {
			o.Text("message", wire.Reason(&s.Verdict))
		}
	case "postToolUse", "PostToolUse":
		toolResult(&o, &s, c.Events[0].Tool)
	case "agentStop", "Stop", "subagentStop", "SubagentStop":
		if s.Decision == checkrein.Deny {
			wire.WriteBlock(&o, wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "userPromptSubmitted", "UserPromptSubmit":
		if s.Decision == checkrein.Deny {
			wire.WriteBlock(&o, wire.Reason(&s.Verdict))
			break
		}
		if text, ok := rawjson.Text(s.Output); ok {
			o.Text("modifiedPrompt", text)
		}
		told(&o, s.Context)
	default:
		if s.Stop != "" {
			s.Context = append(s.Context, s.Stop)
		}
		told(&o, s.Context)
	}
	o.Close()
	if len(o) > len("{}") {
		r.Stdout = append(o, '\n')
	}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.JoinLines(s.Notice) + "\n")
	}
	return r
}

func told(o *rawjson.Object, context []string) {
	if len(context) > 0 {
		o.Text("additionalContext", wire.JoinLines(context))
	}
}

func toolUse(o *rawjson.Object, s *wire.Combined) {
	if s.Decision != checkrein.NoOpinion {
		o.Text("permissionDecision", s.Decision.String())
		if s.Decision != checkrein.Allow || s.Reason != "" {
			o.Text("permissionDecisionReason", wire.Reason(&s.Verdict))
		}
	}
	if s.Input != nil && s.Decision != checkrein.Deny {
		o.Raw("modifiedArgs", s.Input)
	}
	told(o, s.Context)
}

// toolResult replaces the text that the model is given; the result keeps its kind.
func toolResult(o *rawjson.Object, s *wire.Combined, t *checkrein.Tool) {
	switch {
	case s.Stop != "":
		wire.WriteBlock(o, s.Stop)
	case s.Output != nil:
		kind := rawjson.GetText(t.Output, "resultType") + rawjson.GetText(t.Output, "result_type")
		if kind == "" {
			kind = "success"
		}
		o.Open("modifiedResult")
		o.Text("textResultForLlm", textOf(s.Output, t.Output))
		o.Text("resultType", kind)
		o.Close()
	}
	told(o, s.Context)
}

// textOf is what a rewritten result says to the model: its own text where it
// still has one, else all of it. A note that was added to the whole is added to
// the text.
func textOf(out, was []byte) string {
	for _, key := range [...]string{"textResultForLlm", "text_result_for_llm"} {
		if val, ok := rawjson.Get(out, key); ok && rawjson.Kind(out) == '{' {
			s, _ := rawjson.Text(val)
			return s
		}
	}
	text, ok := rawjson.Text(out)
	if !ok {
		return string(out)
	}
	if note, added := wire.AppendedNote(was, out); added {
		return textOf(was, nil) + "\n" + note
	}
	return text
}
