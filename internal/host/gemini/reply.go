package gemini

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// say writes one object, or nothing when there is nothing to say.
func say(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	a := answer{o: rawjson.Object{'{'}, native: c.Native}
	switch c.Native {
	case "BeforeTool":
		a.beforeTool(&s)
	case "AfterTool":
		a.afterTool(&s, c.Events[0].Tool)
	case "AfterAgent":
		if s.Decision == checkrein.Deny {
			a.refuse(wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "BeforeModel":
		a.beforeModel(&s, c.Events[0].Raw)
	case "AfterModel":
		a.afterModel(&s, c.Events[0].Raw)
	case "": // a gate, or the end of a turn, which a denial alone would make endless
		if s.Decision == checkrein.Deny {
			a.decide("deny", wire.Reason(&s.Verdict))
			a.end(wire.Reason(&s.Verdict))
		}
	case "BeforeAgent", "SessionStart":
		if s.Decision == checkrein.Deny {
			a.refuse(wire.Reason(&s.Verdict))
			break
		}
		a.context(&s)
	}
	if a.why != "" && len(s.Notice) > 0 && s.Notice[0] != a.why {
		s.Notice = append([]string{a.why}, s.Notice...)
	}
	a.o.Text("systemMessage", wire.JoinLines(s.Notice))
	return wire.ObjectReply(a.o)
}

// An answer is one being written.
type answer struct {
	o      rawjson.Object
	native string
	// why is a reason in whose place the person would be shown the message.
	why string
}

func (a *answer) decide(decision, reason string) {
	a.o.Text("decision", decision)
	a.o.Text("reason", reason)
}

// refuse denies a turn its start or its end.
func (a *answer) refuse(reason string) {
	a.decide("deny", reason)
	a.why = reason
}

// end ends the run.
func (a *answer) end(reason string) {
	a.why = reason
	a.o.Raw("continue", []byte("false"))
	a.o.Text("stopReason", reason)
}

// halt ends the run for a verdict, which need not deny anything.
func (a *answer) halt(s *wire.Combined) {
	if s.Decision == checkrein.Deny || s.Reason != "" {
		a.end(wire.Reason(&s.Verdict))
		return
	}
	a.end("a checkrein hook ended the turn")
}

// own writes the one member of the part that is the event's own.
func (a *answer) own(key string, val []byte) {
	a.o.Open("hookSpecificOutput")
	a.o.Text("hookEventName", a.native)
	a.o.Raw(key, val)
	a.o.Close()
}

func (a *answer) context(s *wire.Combined) {
	if len(s.Context) > 0 {
		a.own("additionalContext", rawjson.Quote(wire.JoinLines(s.Context)))
	}
}

func (a *answer) beforeTool(s *wire.Combined) {
	switch s.Decision {
	case checkrein.Deny:
		a.decide("deny", wire.Reason(&s.Verdict))
		// Only the model hears the reason. Its first line has all that a person needs.
		line, _, _ := strings.Cut(wire.Reason(&s.Verdict), "\n")
		if !s.Halt && !slices.Contains(s.Notice, line) {
			s.Notice = append([]string{line}, s.Notice...)
		}
	case checkrein.Ask:
		// The dialog shows the message, not the reason; where there is no
		// dialog it is the only word on why the turn is over.
		a.decide("ask", wire.Reason(&s.Verdict))
		s.Notice = append([]string{wire.Reason(&s.Verdict)}, s.Notice...)
	}
	if s.Halt {
		a.halt(s)
	}
	if s.Input != nil && s.Decision != checkrein.Deny {
		a.own("tool_input", s.Input)
	}
}

// afterTool puts what the model shall see in the place of the output. Context
// beside that would be dropped, so it goes into the text. A note that was added
// to the output goes as context: the output then is no error.
func (a *answer) afterTool(s *wire.Combined, t *checkrein.Tool) {
	if s.Output != nil {
		if note, ok := wire.AppendedNote(t.Output, s.Output); ok {
			s.Context = append([]string{note}, s.Context...)
		} else {
			text := append([]string{wire.OutputText(s.Output)}, s.Context...)
			a.decide("deny", wire.JoinLines(text))
			s.Context = nil
		}
	}
	if s.Stop != "" {
		a.end(s.Stop)
	}
	a.context(s)
}

// beforeModel writes a denial twice: another hook's decision takes the place of
// ours here.
func (a *answer) beforeModel(s *wire.Combined, body []byte) {
	if s.Decision == checkrein.Deny {
		a.decide("deny", wire.Reason(&s.Verdict))
	}
	if s.Decision == checkrein.Deny || s.Halt {
		a.halt(s)
		return
	}
	if s.Messages == nil {
		return
	}
	request, _ := rawjson.Get(body, "llm_request")
	patch := rawjson.Object{'{'}
	patch.Raw("messages", s.Messages)
	patch.Close()
	if whole, err := rawjson.Patch(request, patch); err == nil {
		a.own("llm_request", whole)
	}
}

// afterModel replaces the text of one piece, and with it whatever else the piece
// has. One without text is a call, most likely, which must not get lost.
func (a *answer) afterModel(s *wire.Combined, body []byte) {
	if s.Halt {
		a.halt(s)
	}
	text, ok := rawjson.Text(s.Output)
	if !ok {
		return
	}
	response, _ := rawjson.Get(body, "llm_response")
	if rawjson.GetText(response, "text") == "" {
		s.Notice = append(s.Notice, "a hook tried to rewrite a piece of the answer that has no text; checkrein did not do that, because a tool call could get lost")
		return
	}
	candidate, _ := rawjson.Lookup(response, "candidates", "0")
	content := rawjson.Object(`{"content":{"role":"model"`)
	content.Texts("parts", []string{text})
	content.Close()
	content.Close()
	if whole, err := rawjson.Patch(candidate, content); err == nil {
		candidate = whole
	} else {
		candidate = content
	}
	patch := rawjson.Object{'{'}
	patch.Raw("text", rawjson.Quote(text))
	patch.Raw("candidates", append(append([]byte{'['}, candidate...), ']'))
	patch.Close()
	if whole, err := rawjson.Patch(response, patch); err == nil {
		a.own("llm_response", whole)
	}
}
