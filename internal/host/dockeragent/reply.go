package dockeragent

import (
	"maps"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one object, or nothing if it would be empty.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	a := answer{o: rawjson.Object{'{'}, specific: rawjson.Object{'{'}}
	switch c.Native {
	case "pre_tool_use", "tool_guard", "permission_request":
		a.writePermission(&s)
		a.writeMetadata(outs)
	case "": // an event without a name may be any gate
		a.writePermission(&s)
		a.writeBlock(&s)
	case "tool_input_transform":
		a.writeBlock(&s)
		if s.Input != nil && s.Decision != checkrein.Deny {
			a.specific.Raw("updated_input", wire.DiffArguments(c.Events[0].Tool.Input, s.Input))
		}
	case "tool_response_transform":
		if s.Output != nil {
			a.specific.Raw("updated_tool_response", quoteOutput(s.Output))
		}
	case "before_llm_call":
		a.writeBlock(&s)
		if s.Decision != checkrein.Deny {
			a.specific.Raw("updated_messages", s.Messages)
		}
	case "before_compaction":
		a.writeBlock(&s)
		if s.Decision != checkrein.Deny {
			a.specific.Text("summary", s.Summary)
		}
	default:
		a.writeBlock(&s)
		a.specific.Text("additional_context", wire.JoinLines(s.Context))
	}
	return a.toReply(s.Notice)
}

// An answer is a reply that is being written, with its hook_specific_output.
type answer struct{ o, specific rawjson.Object }

// writePermission writes the decision on a tool call.
func (a *answer) writePermission(s *wire.Combined) {
	if s.Decision == checkrein.NoOpinion {
		return
	}
	a.specific.Text("permission_decision", s.Decision.String())
	if s.Decision != checkrein.Allow || s.Reason != "" {
		a.specific.Text("permission_decision_reason", wire.Reason(&s.Verdict))
	}
}

// writeBlock blocks the subject of the event, or ends the run.
func (a *answer) writeBlock(s *wire.Combined) {
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

// writeMetadata writes the metadata of the first outcome that has some, for the permission prompt,
// sorted by key.
func (a *answer) writeMetadata(outs []engine.Outcome) {
	for i := range outs {
		meta := outs[i].Verdict.Metadata
		if outs[i].Verdict.Effects()&checkrein.CanAnnotate == 0 {
			continue
		}
		a.specific.Open("metadata")
		for _, key := range slices.Sorted(maps.Keys(meta)) {
			a.specific.Text(key, meta[key])
		}
		a.specific.Close()
		return
	}
}

// toReply returns the finished reply, with notices in JSON and on stderr.
func (a *answer) toReply(notice []string) wire.Reply {
	var r wire.Reply
	if len(a.specific) > 1 {
		a.specific.Close()
		a.o.Raw("hook_specific_output", a.specific)
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

// quoteOutput returns an output as a JSON string, as docker-agent requires.
func quoteOutput(out []byte) []byte {
	if rawjson.Kind(out) == '"' {
		return out
	}
	return rawjson.Quote(string(out))
}
