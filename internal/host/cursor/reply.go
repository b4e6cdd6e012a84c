package cursor

import (
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes one object, possibly {}, because Cursor treats an empty answer as a failure. It also
// writes notices to stderr for the log, because Cursor shows messages only with a denial.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	o := rawjson.Object{'{'}
	exit := 0
	switch c.Native {
	case "preToolUse", "beforeShellExecution", "beforeMCPExecution", "": // an event without a name may be such a gate
		exit = writePermission(&o, &s, true)
		if s.Input != nil && s.Decision != checkrein.Deny {
			o.Raw("updated_input", s.Input)
		}
	case "beforeReadFile", "beforeTabFileRead", "subagentStart":
		exit = writePermission(&o, &s, false)
	case "beforeSubmitPrompt":
		if s.Decision == checkrein.Deny {
			o.Raw("continue", []byte("false"))
			writeBoth(&o, "user_message", "userMessage", wire.Reason(&s.Verdict))
			exit = 2
		}
	case "stop", "subagentStop":
		if s.Decision == checkrein.Deny {
			o.Text("followup_message", wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "postToolUse":
		writeToolResult(&o, &s, c.Events[0].Tool)
	case "sessionStart":
		writeContext(&o, s.Context)
	default:
		if s.Stop != "" {
			s.Notice = append(s.Notice, s.Stop)
		}
	}
	o.Close()
	r := wire.Reply{Stdout: append(o, '\n'), Exit: exit}
	if exit == 2 { // some builds do not read JSON with this exit code
		r.Stderr = append(r.Stderr, wire.Reason(&s.Verdict)+"\n"...)
	}
	if len(s.Notice) > 0 {
		r.Stderr = append(r.Stderr, wire.JoinLines(s.Notice)+"\n"...)
	}
	return r
}

// writePermission writes the decision of a gate and returns the exit code. If agent is set, it adds a
// message for the agent, which not every gate has.
func writePermission(o *rawjson.Object, s *wire.Combined, agent bool) int {
	if s.Decision == checkrein.NoOpinion {
		return 0
	}
	o.Text("permission", s.Decision.String())
	if s.Decision == checkrein.Allow {
		return 0
	}
	reason := wire.Reason(&s.Verdict)
	writeBoth(o, "user_message", "userMessage", wire.JoinLines(append([]string{reason}, s.Notice...)))
	if agent {
		writeBoth(o, "agent_message", "agentMessage", reason)
	}
	if s.Decision == checkrein.Ask {
		return 0
	}
	return 2
}

// writeBoth writes text under its name and under the name that older builds read.
func writeBoth(o *rawjson.Object, name, older, text string) {
	o.Text(name, text)
	o.Text(older, text)
}

// maxContext is the length in bytes beyond which Cursor drops the whole context.
const maxContext = 10_000

func writeContext(o *rawjson.Object, context []string) {
	const mark = "\n[cut here: Cursor's limit]"
	text := wire.JoinLines(context)
	if len(text) > maxContext {
		n := maxContext - len(mark)
		for !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n] + mark
	}
	o.Text("additional_context", text)
}

// writeToolResult replaces the output of an MCP tool. A denial becomes context and a notice, because
// it cannot stop the run.
func writeToolResult(o *rawjson.Object, s *wire.Combined, t *checkrein.Tool) {
	if s.Stop != "" {
		s.Context = append(s.Context, s.Stop)
		s.Notice = append(s.Notice, s.Stop)
	}
	switch {
	case s.Output == nil:
	case isMCPTool(t):
		o.Raw("updated_mcp_tool_output", toMCPContent(s.Output))
	default:
		s.Notice = append(s.Notice, "the output of "+t.Name+" should have been replaced, but Cursor cannot do that for this tool: the model has seen it")
	}
	writeContext(o, s.Context)
}

// toMCPContent returns an output in the form of MCP results. Often it already has that form, as JSON
// in a string.
func toMCPContent(out []byte) []byte {
	text, ok := rawjson.Text(out)
	if !ok {
		text = string(out)
	}
	if list, ok := rawjson.Get([]byte(text), "content"); ok && rawjson.CheckObject([]byte(text)) == nil && rawjson.Kind(list) == '[' {
		return []byte(text)
	}
	o := rawjson.Object{'{'}
	o.List("content", 1, func(o *rawjson.Object, _ int) {
		*o = append(*o, '{')
		o.Text("type", "text")
		o.Key("text")
		*o = rawjson.AppendString(*o, text)
		o.Close()
	})
	o.Close()
	return o
}
