package qwen

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// say writes one object, or nothing when there is nothing to say.
func say(c *wire.Call, outs []engine.Outcome) checkrein.Reply {
	s := c.Together(outs)
	o := rawjson.Object{'{'}
	switch c.Native {
	case "PreToolUse", "": // what nobody can name may be a gate
		if s.Decision == checkrein.Deny {
			refuse(&o, wire.Reason(&s.Verdict))
		}
	case "PermissionRequest":
		if !permission(&o, &s) {
			return checkrein.Reply{} // two answers without a decision are a denial
		}
	case "PostToolUse":
		postToolUse(&o, &s, c.Events[0].Tool)
	case "PostToolUseFailure":
		if s.Stop != "" {
			s.Context = append([]string{s.Stop}, s.Context...)
		}
		told(&o, c.Native, &s)
	case "SessionStart":
		told(&o, c.Native, &s)
	case "Stop", "SubagentStop":
		if s.Decision == checkrein.Deny {
			block(&o, wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "UserPromptSubmit":
		if s.Decision == checkrein.Deny {
			block(&o, wire.Reason(&s.Verdict))
			break
		}
		told(&o, c.Native, &s)
	}
	o.Text("systemMessage", wire.Lines(s.Notice))
	o.Close()
	if len(o) == len("{}") {
		return checkrein.Reply{}
	}
	return checkrein.Reply{Stdout: append(o, '\n')}
}

func block(o *rawjson.Object, reason string) {
	o.Text("decision", "block")
	o.Text("reason", reason)
}

// stop refuses a call before it runs and hides what it returned after; the agent
// goes on with the reason.
func stop(o *rawjson.Object, reason string) {
	o.Raw("continue", []byte("false"))
	o.Text("stopReason", reason)
}

// own writes the part that is the event's own.
func own(o *rawjson.Object, native string, write func()) {
	o.Open("hookSpecificOutput")
	o.Text("hookEventName", native)
	write()
	o.Close()
}

func told(o *rawjson.Object, native string, s *wire.Said) {
	if len(s.Context) > 0 {
		own(o, native, func() { o.Text("additionalContext", wire.Lines(s.Context)) })
	}
}

// refuse says a denial in every form: of two hooks the later one's
// permissionDecision counts, before any decision, but nothing undoes a stop.
func refuse(o *rawjson.Object, reason string) {
	o.Text("decision", "deny")
	o.Text("reason", reason)
	stop(o, reason)
	own(o, "PreToolUse", func() {
		o.Text("permissionDecision", "deny")
		o.Text("permissionDecisionReason", reason)
	})
}

// permission decides for the person, and reports whether there was anything to
// decide.
func permission(o *rawjson.Object, s *wire.Said) bool {
	if s.Decision != checkrein.Allow && s.Decision != checkrein.Deny {
		return false
	}
	own(o, "PermissionRequest", func() {
		o.Open("decision")
		o.Text("behavior", s.Decision.String())
		if s.Decision == checkrein.Deny {
			o.Text("message", wire.Reason(&s.Verdict))
		}
		o.Close()
	})
	return true
}

// postToolUse puts what the model shall see in the place of the output: the
// reason of a denial, and the output as it was rewritten. Context beside that
// would be lost, so it goes into the text. A note that was added to the output
// goes as context.
func postToolUse(o *rawjson.Object, s *wire.Said, t *checkrein.Tool) {
	var seen []string
	if s.Stop != "" {
		seen = append(seen, s.Stop)
	}
	if s.Output != nil {
		if note, ok := wire.Added(t.Output, s.Output); ok && s.Stop == "" {
			s.Context = append([]string{note}, s.Context...)
		} else {
			seen = append(seen, outputText(s.Output))
		}
	}
	if len(seen) == 0 {
		told(o, "PostToolUse", s)
		return
	}
	stop(o, wire.Lines(append(seen, s.Context...)))
}

// outputText is an output as a text that is not empty, which a reason must be.
func outputText(out []byte) string {
	text, whole := textOf(out)
	switch {
	case whole && text == "":
		return "(no output)"
	case whole:
		return text
	case text != "":
		return text + "\n(content that is not text was left out)"
	}
	return string(out)
}
