package copilot

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one flat object, or nothing.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	var r wire.Reply
	o := rawjson.Object{'{'}
	switch c.Native {
	case "preToolUse", "PreToolUse", "": // an event without a name may be this gate
		if s.Decision == checkrein.Deny {
			r.Exit = 2
		}
		writeToolUse(&o, &s)
	case "permissionRequest", "PermissionRequest":
		if s.Decision == checkrein.Allow || s.Decision == checkrein.Deny {
			o.Text("behavior", s.Decision.String())
		}
		if s.Decision == checkrein.Deny {
			o.Text("message", wire.Reason(&s.Verdict))
		}
	case "postToolUse", "PostToolUse":
		writeToolResult(&o, &s, c.Events[0].Tool)
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
		writeContext(&o, s.Context)
	default:
		if s.Stop != "" {
			s.Context = append(s.Context, s.Stop)
		}
		writeContext(&o, s.Context)
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

func writeContext(o *rawjson.Object, context []string) {
	if len(context) > 0 {
		o.Text("additionalContext", wire.JoinLines(context))
	}
}

func writeToolUse(o *rawjson.Object, s *wire.Combined) {
	if s.Decision != checkrein.NoOpinion {
		o.Text("permissionDecision", s.Decision.String())
		if s.Decision != checkrein.Allow || s.Reason != "" {
			o.Text("permissionDecisionReason", wire.Reason(&s.Verdict))
		}
	}
	if s.Input != nil && s.Decision != checkrein.Deny {
		o.Raw("modifiedArgs", s.Input)
	}
	writeContext(o, s.Context)
}

// writeToolResult replaces the text that the model gets. The type of the result stays the same.
func writeToolResult(o *rawjson.Object, s *wire.Combined, t *checkrein.Tool) {
	switch {
	case s.Stop != "":
		wire.WriteBlock(o, s.Stop)
	case s.Output != nil:
		kind := rawjson.GetText(t.Output, "resultType") + rawjson.GetText(t.Output, "result_type")
		if kind == "" {
			kind = "success"
		}
		o.Open("modifiedResult")
		o.Text("textResultForLlm", modelText(s.Output, t.Output))
		o.Text("resultType", kind)
		o.Close()
	}
	writeContext(o, s.Context)
}

// modelText returns the text of out, a rewritten result, for the model: the text in it if it still has
// one, and otherwise the whole result. A note that was appended to was, the original result, is
// appended to the text of was.
func modelText(out, was []byte) string {
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
		return modelText(was, nil) + "\n" + note
	}
	return text
}
