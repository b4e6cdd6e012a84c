package claude

import (
	"cmp"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one object, or nothing if it would be empty.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	if c.Native == "PreCompact" && s.Decision != checkrein.Deny && len(s.Context) > 0 {
		return wire.Reply{Stdout: []byte(wire.JoinLines(s.Context) + "\n")} // Claude Code takes plain text as instructions
	}
	a := answer{o: rawjson.Object{'{'}, native: c.Native}
	switch c.Native {
	case "PreToolUse", "": // an event without a name may be this gate
		a.writePreToolUse(&s)
	case "PermissionRequest":
		wire.WritePermission(&a.o, &s)
	case "PostToolUse":
		a.writePostToolUse(&s, c.Events[0].Tool)
	case "MessageDisplay":
		if text, ok := rawjson.Text(s.Output); ok {
			a.writeSpecific(func(o *rawjson.Object) { o.Text("displayContent", text) })
		}
	default:
		a.writeOther(&s)
	}
	if len(s.Notice) > 0 {
		a.o.Text("systemMessage", wire.JoinLines(s.Notice))
	}
	return wire.ObjectReply(a.o)
}

// An answer is a reply that is being written.
type answer struct {
	o      rawjson.Object
	native string
}

// writeSpecific writes hookSpecificOutput with the members that write adds. It must name its event,
// because Claude Code discards the whole answer otherwise.
func (a *answer) writeSpecific(write func(o *rawjson.Object)) {
	a.o.Open("hookSpecificOutput")
	a.o.Text("hookEventName", a.native)
	write(&a.o)
	a.o.Close()
}

func (a *answer) writePreToolUse(s *wire.Combined) {
	if a.native == "" {
		a.native = "PreToolUse"
	}
	if s.Decision != checkrein.NoOpinion || s.Input != nil || len(s.Context) > 0 {
		a.writeSpecific(func(o *rawjson.Object) {
			if s.Decision != checkrein.NoOpinion {
				o.Text("permissionDecision", s.Decision.String())
				if s.Decision != checkrein.Allow || s.Reason != "" {
					o.Text("permissionDecisionReason", wire.Reason(&s.Verdict))
				}
			}
			if s.Input != nil && s.Decision != checkrein.Deny {
				o.Raw("updatedInput", s.Input)
			}
			if len(s.Context) > 0 {
				o.Text("additionalContext", wire.JoinLines(s.Context))
			}
		})
	}
	a.writeHalt(s)
}

func (a *answer) writePostToolUse(s *wire.Combined, t *checkrein.Tool) {
	var out []byte
	if s.Output != nil {
		var ok bool
		if out, ok = fitShape(t, s.Output); !ok {
			out = nil
			s.Notice = append(s.Notice, "the output of "+t.Name+" should have been replaced, but Claude Code cannot do that for this tool: the model has seen it")
		}
	}
	if out != nil || len(s.Context) > 0 {
		a.writeSpecific(func(o *rawjson.Object) {
			if out != nil {
				o.Raw("updatedToolOutput", out)
			}
			if len(s.Context) > 0 {
				o.Text("additionalContext", wire.JoinLines(s.Context))
			}
		})
	}
	a.writeHalt(s)
}

// writeOther writes the answer to events that are blocked by a decision and accept context.
func (a *answer) writeOther(s *wire.Combined) {
	switch {
	case s.Redo != "":
		a.o.Text("decision", "block")
		a.o.Text("reason", s.Redo)
		return // context would make the turn continue once more
	case s.Decision == checkrein.Deny:
		a.o.Text("decision", "block")
		a.o.Text("reason", wire.Reason(&s.Verdict))
	case s.Stop != "":
		a.o.Text("decision", "block")
		a.o.Text("reason", s.Stop)
	}
	if len(s.Context) > 0 && a.native != "PreCompact" { // PreCompact accepts only plain text
		a.writeSpecific(func(o *rawjson.Object) { o.Text("additionalContext", wire.JoinLines(s.Context)) })
	}
	a.writeHalt(s)
}

// writeHalt ends the turn if the verdict requires it.
func (a *answer) writeHalt(s *wire.Combined) {
	stop := s.Stop
	if s.Halt && stop == "" {
		stop = cmp.Or(strings.TrimSpace(s.Reason), "a checkrein hook ended the turn")
	}
	if stop == "" {
		return
	}
	a.o.Raw("continue", []byte("false"))
	a.o.Text("stopReason", stop)
}
