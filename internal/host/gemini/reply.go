package gemini

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one object, or nothing if it would be empty.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	a := answer{o: rawjson.Object{'{'}, native: c.Native}
	switch c.Native {
	case "BeforeTool":
		a.writeBeforeTool(&s)
	case "AfterTool":
		a.writeAfterTool(&s, c.Events[0].Tool)
	case "AfterAgent":
		if s.Decision == checkrein.Deny {
			a.writeDenial(wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "BeforeModel":
		a.writeBeforeModel(&s, c.Events[0].Raw)
	case "AfterModel":
		a.writeAfterModel(&s, c.Events[0].Raw)
	case "": // may be a gate or the end of a turn, where only ending the run has an effect
		if s.Decision == checkrein.Deny {
			a.writeDecision("deny", wire.Reason(&s.Verdict))
			a.writeEnd(wire.Reason(&s.Verdict))
		}
	case "BeforeAgent", "SessionStart":
		if s.Decision == checkrein.Deny {
			a.writeDenial(wire.Reason(&s.Verdict))
			break
		}
		a.writeContext(&s)
	}
	if a.reason != "" && len(s.Notice) > 0 && s.Notice[0] != a.reason {
		s.Notice = append([]string{a.reason}, s.Notice...)
	}
	a.o.Text("systemMessage", wire.JoinLines(s.Notice))
	return wire.ObjectReply(a.o)
}

// An answer is a reply that is being written.
type answer struct {
	o      rawjson.Object
	native string
	// reason is the reason of a denial, which Gemini does not show to the user if there is a message.
	reason string
}

func (a *answer) writeDecision(decision, reason string) {
	a.o.Text("decision", decision)
	a.o.Text("reason", reason)
}

// writeDenial denies the start or the end of a turn.
func (a *answer) writeDenial(reason string) {
	a.writeDecision("deny", reason)
	a.reason = reason
}

// writeEnd ends the run.
func (a *answer) writeEnd(reason string) {
	a.reason = reason
	a.o.Raw("continue", []byte("false"))
	a.o.Text("stopReason", reason)
}

// writeHalt ends the run as the verdict requires, with its reason or a default one.
func (a *answer) writeHalt(s *wire.Combined) {
	if s.Decision == checkrein.Deny || s.Reason != "" {
		a.writeEnd(wire.Reason(&s.Verdict))
		return
	}
	a.writeEnd("a checkrein hook ended the turn")
}

// writeSpecific writes hookSpecificOutput with one member.
func (a *answer) writeSpecific(key string, val []byte) {
	a.o.Open("hookSpecificOutput")
	a.o.Text("hookEventName", a.native)
	a.o.Raw(key, val)
	a.o.Close()
}

func (a *answer) writeContext(s *wire.Combined) {
	if len(s.Context) > 0 {
		a.writeSpecific("additionalContext", rawjson.Quote(wire.JoinLines(s.Context)))
	}
}

func (a *answer) writeBeforeTool(s *wire.Combined) {
	switch s.Decision {
	case checkrein.Deny:
		a.writeDecision("deny", wire.Reason(&s.Verdict))
		// Only the model gets the reason. Its first line is enough for the user.
		line, _, _ := strings.Cut(wire.Reason(&s.Verdict), "\n")
		if !s.Halt && !slices.Contains(s.Notice, line) {
			s.Notice = append([]string{line}, s.Notice...)
		}
	case checkrein.Ask:
		// The dialog shows the message, not the reason; without a dialog it is the only
		// explanation for the end of the turn.
		a.writeDecision("ask", wire.Reason(&s.Verdict))
		s.Notice = append([]string{wire.Reason(&s.Verdict)}, s.Notice...)
	}
	if s.Halt {
		a.writeHalt(s)
	}
	if s.Input != nil && s.Decision != checkrein.Deny {
		a.writeSpecific("tool_input", s.Input)
	}
}

// writeAfterTool replaces the output that the model sees. Gemini drops context beside a replaced
// output, so the context becomes part of the text. A note that was only appended to the output is sent
// as context, so that the output is not shown as an error.
func (a *answer) writeAfterTool(s *wire.Combined, t *checkrein.Tool) {
	if s.Output != nil {
		if note, ok := wire.AppendedNote(t.Output, s.Output); ok {
			s.Context = append([]string{note}, s.Context...)
		} else {
			text := append([]string{wire.OutputText(s.Output)}, s.Context...)
			a.writeDecision("deny", wire.JoinLines(text))
			s.Context = nil
		}
	}
	if s.Stop != "" {
		a.writeEnd(s.Stop)
	}
	a.writeContext(s)
}

// writeBeforeModel writes a denial in two ways, because the decision of another hook replaces
// checkrein's on this event.
func (a *answer) writeBeforeModel(s *wire.Combined, body []byte) {
	if s.Decision == checkrein.Deny {
		a.writeDecision("deny", wire.Reason(&s.Verdict))
	}
	if s.Decision == checkrein.Deny || s.Halt {
		a.writeHalt(s)
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
		a.writeSpecific("llm_request", whole)
	}
}

// writeAfterModel replaces the text of one chunk, and with it everything else in the chunk. It does
// not replace a chunk without text, which is probably a tool call that must not get lost.
func (a *answer) writeAfterModel(s *wire.Combined, body []byte) {
	if s.Halt {
		a.writeHalt(s)
	}
	text, ok := rawjson.Text(s.Output)
	if !ok {
		return
	}
	response, _ := rawjson.Get(body, "llm_response")
	if rawjson.GetText(response, "text") == "" {
		s.Notice = append(s.Notice, "a hook tried to rewrite a part of the answer that has no text; checkrein left it unchanged, because a tool call could get lost")
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
		a.writeSpecific("llm_response", whole)
	}
}
