package dockeragent

import (
	"maps"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// say writes one object, or nothing when there is nothing to say.
func say(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	a := answer{o: rawjson.Object{'{'}, own: rawjson.Object{'{'}}
	switch c.Native {
	case "pre_tool_use", "tool_guard", "permission_request":
		a.permission(&s)
		a.metadata(outs)
	case "": // what nobody can name may be any gate
		a.permission(&s)
		a.block(&s)
	case "tool_input_transform":
		a.block(&s)
		if s.Input != nil && s.Decision != checkrein.Deny {
			a.own.Raw("updated_input", wire.DiffArguments(c.Events[0].Tool.Input, s.Input))
		}
	case "tool_response_transform":
		if s.Output != nil {
			a.own.Raw("updated_tool_response", text(s.Output))
		}
	case "before_llm_call":
		a.block(&s)
		if s.Decision != checkrein.Deny {
			a.own.Raw("updated_messages", s.Messages)
		}
	case "before_compaction":
		a.block(&s)
		if s.Decision != checkrein.Deny {
			a.own.Text("summary", s.Summary)
		}
	default:
		a.block(&s)
		a.own.Text("additional_context", wire.JoinLines(s.Context))
	}
	return a.reply(s.Notice)
}

// An answer is one being written.
type answer struct{ o, own rawjson.Object }

// permission decides about a tool call.
func (a *answer) permission(s *wire.Combined) {
	if s.Decision == checkrein.NoOpinion {
		return
	}
	a.own.Text("permission_decision", s.Decision.String())
	if s.Decision != checkrein.Allow || s.Reason != "" {
		a.own.Text("permission_decision_reason", wire.Reason(&s.Verdict))
	}
}

// block refuses what the event is about, or ends the run.
func (a *answer) block(s *wire.Combined) {
	switch {
	case s.Decision == checkrein.Deny:
		a.o.Text("decision", "block")
		a.o.Text("reason", wire.Reason(&s.Verdict))
	case s.Stop != "":
		a.o.Text("decision", "block")
		a.o.Text("reason", s.Stop)
	case s.Halt:
		a.o.Raw("continue", []byte("false"))
		a.o.Text("stop_reason", wire.Reason(&s.Verdict))
	}
}

// metadata is for the prompt, in a fixed order.
func (a *answer) metadata(outs []engine.Outcome) {
	for i := range outs {
		meta := outs[i].Verdict.Metadata
		if outs[i].Verdict.Effects()&checkrein.CanAnnotate == 0 {
			continue
		}
		a.own.Open("metadata")
		for _, key := range slices.Sorted(maps.Keys(meta)) {
			a.own.Text(key, meta[key])
		}
		a.own.Close()
		return
	}
}

func (a *answer) reply(notice []string) wire.Reply {
	var r wire.Reply
	if len(a.own) > 1 {
		a.own.Close()
		a.o.Raw("hook_specific_output", a.own)
	}
	if len(notice) > 0 {
		a.o.Text("system_message", wire.JoinLines(notice))
		r.Stderr = []byte(wire.JoinLines(notice) + "\n")
	}
	if len(a.o) > 1 {
		a.o.Close()
		r.Stdout = append(a.o, '\n')
	}
	return r
}

// text is an output as docker-agent has it, which is a text.
func text(out []byte) []byte {
	if rawjson.Kind(out) == '"' {
		return out
	}
	return rawjson.Quote(string(out))
}
