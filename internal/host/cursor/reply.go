package cursor

import (
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// say writes one object, {} when there is nothing to say: an empty answer is a
// failure to Cursor. Notices are for the log as well, since messages are shown
// with a denial only.
func say(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s := c.Combine(outs)
	o := rawjson.Object{'{'}
	exit := 0
	switch c.Native {
	case "preToolUse", "beforeShellExecution", "beforeMCPExecution", "": // what nobody can name may be a gate
		exit = permission(&o, &s, true)
		if s.Input != nil && s.Decision != checkrein.Deny {
			o.Raw("updated_input", s.Input)
		}
	case "beforeReadFile", "beforeTabFileRead", "subagentStart":
		exit = permission(&o, &s, false)
	case "beforeSubmitPrompt":
		if s.Decision == checkrein.Deny {
			o.Raw("continue", []byte("false"))
			both(&o, "user_message", "userMessage", wire.Reason(&s.Verdict))
			exit = 2
		}
	case "stop", "subagentStop":
		if s.Decision == checkrein.Deny {
			o.Text("followup_message", wire.Reason(&checkrein.Verdict{Reason: s.Redo}))
		}
	case "postToolUse":
		toolResult(&o, &s, c.Events[0].Tool)
	case "sessionStart":
		told(&o, s.Context)
	default:
		if s.Stop != "" {
			s.Notice = append(s.Notice, s.Stop)
		}
	}
	o.Close()
	r := wire.Reply{Stdout: append(o, '\n'), Exit: exit}
	if exit == 2 { // the reason to builds that read no JSON beside it
		r.Stderr = append(r.Stderr, wire.Reason(&s.Verdict)+"\n"...)
	}
	if len(s.Notice) > 0 {
		r.Stderr = append(r.Stderr, wire.JoinLines(s.Notice)+"\n"...)
	}
	return r
}

// permission answers an event that something waits for, and returns the exit
// code. Not every such event has a message for the agent.
func permission(o *rawjson.Object, s *wire.Combined, agent bool) int {
	if s.Decision == checkrein.NoOpinion {
		return 0
	}
	o.Text("permission", s.Decision.String())
	if s.Decision == checkrein.Allow {
		return 0
	}
	reason := wire.Reason(&s.Verdict)
	both(o, "user_message", "userMessage", wire.JoinLines(append([]string{reason}, s.Notice...)))
	if agent {
		both(o, "agent_message", "agentMessage", reason)
	}
	if s.Decision == checkrein.Ask {
		return 0
	}
	return 2
}

// both writes a text under its name and under the one that older builds read.
func both(o *rawjson.Object, name, older, text string) {
	o.Text(name, text)
	o.Text(older, text)
}

// longest is how much context Cursor takes before it drops all of it.
const longest = 10_000

func told(o *rawjson.Object, context []string) {
	const mark = "\n[cut here: Cursor's limit]"
	text := wire.JoinLines(context)
	if len(text) > longest {
		n := longest - len(mark)
		for !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n] + mark
	}
	o.Text("additional_context", text)
}

// toolResult replaces what a server's tool returned. A denial cannot stop the
// run, so everybody is told of it.
func toolResult(o *rawjson.Object, s *wire.Combined, t *checkrein.Tool) {
	if s.Stop != "" {
		s.Context = append(s.Context, s.Stop)
		s.Notice = append(s.Notice, s.Stop)
	}
	switch {
	case s.Output == nil:
	case isServers(t):
		o.Raw("updated_mcp_tool_output", content(s.Output))
	default:
		s.Notice = append(s.Notice, "the output of "+t.Name+" should have been replaced, but Cursor cannot do that for this tool: the model has seen it")
	}
	told(o, s.Context)
}

// content is an output in the form in which servers return theirs, which it
// often has already, as a text.
func content(out []byte) []byte {
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
