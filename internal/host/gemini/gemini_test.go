package gemini

import (
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// knownKeys are the keys that Gemini CLI 0.61.0 uses, by event. It ignores all others, but checkrein
// must not write them.
var knownKeys = map[string][]string{
	"SessionStart": {"hookSpecificOutput.additionalContext"},
	"BeforeAgent":  {"decision", "reason", "continue", "stopReason", "hookSpecificOutput.additionalContext"},
	"BeforeModel":  {"decision", "reason", "continue", "stopReason", "hookSpecificOutput.llm_request"},
	"AfterModel":   {"continue", "stopReason", "hookSpecificOutput.llm_response"},
	"BeforeTool":   {"decision", "reason", "continue", "stopReason", "hookSpecificOutput.tool_input"},
	"AfterTool":    {"decision", "reason", "continue", "stopReason", "hookSpecificOutput.additionalContext"},
	"AfterAgent":   {"decision", "reason"},
}

// A parsedAnswer is an answer as Gemini CLI parses it.
type parsedAnswer struct {
	decision, reason, stopReason, message string
	stops                                 bool
	specific                              []byte
}

// shownReason returns the reason that Gemini shows.
func (s *parsedAnswer) shownReason() string {
	for _, r := range []string{s.stopReason, s.reason} {
		if r != "" {
			return r
		}
	}
	return "No reason provided"
}

// simulate applies an answer as Gemini CLI 0.61.0 does.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	if native == "" {
		native = "BeforeTool"
	}
	out := strings.TrimSpace(string(r.Stdout))
	switch {
	case r.Exit != 0 || len(r.Stderr) > 0:
		h.Rejected = "an exit code or stderr"
		return h
	case out == "":
		return h
	case rawjson.CheckObject([]byte(out)) != nil:
		h.Notice, h.Rejected = out, "text that is no JSON is shown to the person only"
		return h
	}
	s, bad := parseAnswer(native, []byte(out))
	h.Rejected, h.Notice = bad, s.message
	denies := s.decision == "deny" || s.decision == "block"
	switch native {
	case "BeforeTool":
		applyBeforeTool(&h, &s, denies)
	case "AfterTool":
		h.Stopped = s.stops
		switch {
		case s.stops:
		case denies:
			h.Output = rawjson.Quote(s.shownReason()) // and context is lost
		default:
			h.Context = modelContext(&s)
		}
	case "AfterAgent":
		if denies {
			h.Redo = s.shownReason()
		}
	case "BeforeAgent", "BeforeModel":
		if h.Stopped = s.stops; denies {
			h.Decision, h.Reason = checkrein.Deny, s.shownReason()
			break
		}
		h.Context = modelContext(&s)
	case "AfterModel":
		if h.Stopped = s.stops; !s.stops {
			part, _ := rawjson.Lookup(s.specific, "llm_response", "candidates", "0", "content", "parts", "0")
			h.Output = part
		}
	case "SessionStart":
		h.Context = modelContext(&s)
	}
	return h
}

func applyBeforeTool(h *wiretest.Reaction, s *parsedAnswer, denies bool) {
	h.Stopped = s.stops
	switch {
	case denies:
		h.Decision, h.Reason = checkrein.Deny, s.shownReason()
		return
	case s.decision == "ask":
		h.Decision, h.Reason = checkrein.Ask, s.message
	}
	if input, ok := rawjson.Get(s.specific, "tool_input"); ok && rawjson.Kind(input) == '{' {
		h.Input = input
	}
}

// modelContext returns the context that the model gets, with entities decoded.
func modelContext(s *parsedAnswer) string {
	text := rawjson.GetText(s.specific, "additionalContext")
	return html.UnescapeString(strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(text))
}

func parseAnswer(native string, out []byte) (parsedAnswer, string) {
	var s parsedAnswer
	bad := ""
	known := func(key string) {
		if !slices.Contains(knownKeys[native], key) {
			bad = "the key " + key + " means nothing on " + native
		}
	}
	rawjson.Each(out, func(key string, val []byte) bool {
		text, isText := rawjson.Text(val)
		switch key {
		case "systemMessage":
			s.message = text
		case "decision":
			s.decision = text
		case "reason":
			s.reason = text
		case "stopReason":
			s.stopReason = text
		case "continue":
			s.stops, isText = string(val) == "false", true
		case "hookSpecificOutput":
			s.specific, isText = val, true
			rawjson.Each(val, func(key string, _ []byte) bool {
				if key != "hookEventName" {
					known("hookSpecificOutput." + key)
				}
				return true
			})
		}
		if key != "systemMessage" && key != "hookSpecificOutput" {
			known(key)
		}
		if !isText {
			bad = key + " is no text"
		}
		return true
	})
	return s, bad
}

func readEvents(t *testing.T, body string) []checkrein.Event {
	t.Helper()
	call := Host.Read(&Host, []byte(body), "")
	if call.Err != nil {
		t.Fatalf("%s: %v", body, call.Err)
	}
	return call.Events
}

func TestRead(t *testing.T) {
	t.Parallel()
	t.Run("rows", func(t *testing.T) {
		for body, want := range map[string][]checkrein.Kind{
			`{"hook_event_name":"SessionStart","source":"resume"}`:                                    {checkrein.SessionStart, checkrein.OnSessionResume},
			`{"hook_event_name":"SessionStart","source":"startup"}`:                                   {checkrein.SessionStart},
			`{"hook_event_name":"BeforeToolSelection"}`:                                               {checkrein.Other},
			`{"hook_event_name":"BrandNew"}`:                                                          {checkrein.Other},
			`{"hook_event_name":"AfterTool","tool_name":"x","tool_input":{},"tool_response":"text"}`:  {checkrein.ToolResponseTransform, checkrein.PostToolUse},
			`{"hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"c":"x"}}`: {checkrein.Other},
		} {
			var got []checkrein.Kind
			for _, ev := range readEvents(t, body) {
				got = append(got, ev.Kind)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v", body, got)
			}
		}
	})
	t.Run("stop", func(t *testing.T) {
		ev := readEvents(t, `{"hook_event_name":"AfterAgent","prompt":"go","prompt_response":"done","stop_hook_active":false}`)[0]
		if ev.Text != "done" || string(ev.Detail("last_user_message")) != `"go"` || ev.Detail("prompt") != nil {
			t.Errorf("%+v", ev)
		}
	})
	t.Run("messages", func(t *testing.T) {
		ev := readEvents(t, `{"hook_event_name":"BeforeModel","llm_request":{"model":"m","messages":[{"role":"user","content":"x"}],"config":{"topK":64}}}`)[0]
		if string(ev.Messages) != `[{"role":"user","content":"x"}]` || string(ev.Detail("model_id")) != `"m"` || string(ev.Detail("llm_request")) != `{"model":"m","config":{"topK":64}}` {
			t.Errorf("%+v", ev)
		}
	})
	t.Run("chunk", func(t *testing.T) {
		ev := readEvents(t, `{"hook_event_name":"AfterModel","llm_request":{"model":"m"},"llm_response":{"text":"Run","candidates":[]}}`)[0]
		if ev.Text != "Run" {
			t.Errorf("%+v", ev)
		}
	})
	t.Run("server", func(t *testing.T) {
		body := `{"hook_event_name":"BeforeTool","tool_name":"mcp_a_b_c","tool_input":{}`
		for more, want := range map[string]string{
			"": "mcp:a/b_c",
			`,"mcp_context":{"server_name":"a_b","tool_name":"c"}`: "mcp:a_b/c",
			`,"mcp_context":{"server_name":"a_b"}`:                 "mcp:a/b_c",
			`,"mcp_context":"a_b"`:                                 "mcp:a/b_c",
		} {
			if got := readEvents(t, body+more+"}")[0].Tool.Canonical; got != want {
				t.Errorf("%s: %s", more, got)
			}
		}
	})
}

func TestReadOutput(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]string{
		`"plain"`:                                         `"plain"`,
		`{"llmContent":"out\n"}`:                          `"out\n"`,
		`{"llmContent":""}`:                               `""`,
		`{"llmContent":[{"text":"a"},"b"]}`:               `"a\nb"`,
		`{"llmContent":{"text":"a"}}`:                     `"a"`,
		`{"llmContent":[{"text":"a"},{"inlineData":{}}]}`: `[{"text":"a"},{"inlineData":{}}]`,
		`{"other":1}`:                                     `{"other":1}`,
		`[1]`:                                             `[1]`,
	} {
		tool := readEvents(t, `{"hook_event_name":"AfterTool","tool_name":"x","tool_input":{},"tool_response":`+response+`}`)[0].Tool
		if string(tool.Output) != want || tool.Failed {
			t.Errorf("%s: %s, failed %v", response, tool.Output, tool.Failed)
		}
	}
	ev := readEvents(t, `{"hook_event_name":"AfterTool","tool_name":"x","tool_input":{},"tool_response":{"llmContent":"no","returnDisplay":"No.","error":{"type":"t"}}}`)[0]
	if !ev.Tool.Failed || string(ev.Detail("returnDisplay")) != `"No."` || string(ev.Detail("error")) != `{"type":"t"}` {
		t.Errorf("%+v %+v", ev, ev.Tool)
	}
}

// answerVerdicts answers a call with one verdict for each event.
func answerVerdicts(t *testing.T, body string, verdicts ...checkrein.Verdict) (string, wiretest.Reaction) {
	t.Helper()
	call := Host.Read(&Host, []byte(body), "")
	outs := make([]engine.Outcome, len(verdicts))
	for i := range outs {
		outs[i] = engine.Outcome{Event: call.Events[i], Verdict: verdicts[i]}
	}
	reply := Host.Encode(&call, outs)
	return string(reply.Stdout), simulate(call.Native, []byte(body), reply)
}

const after = `{"hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"x"},"tool_response":{"llmContent":"Output: key","returnDisplay":"key"}}`

func TestOutputIsReplacedByADenial(t *testing.T) {
	t.Parallel()
	quote := rawjson.Quote
	for _, c := range []struct {
		name             string
		rows             []checkrein.Verdict
		output, context  string
		stopped, noError bool
	}{
		{"replaced", []checkrein.Verdict{{Output: quote("Output: ***")}, {}}, "Output: ***", "", false, false},
		{"emptied", []checkrein.Verdict{{Output: quote("")}, {}}, "(no output)", "", false, false},
		{"a list", []checkrein.Verdict{{Output: []byte(`[{"text":"a"},{"inlineData":{}}]`)}, {}}, "a\n(content that is not text was left out)", "", false, false},
		{"with context", []checkrein.Verdict{{Output: quote("***")}, {Context: []string{"look", "here"}}}, "***\nlook\nhere", "", false, false},
		{"with a note", []checkrein.Verdict{{Output: quote("Output: key\nnote")}, {Context: []string{"more"}}}, "", "note\nmore", false, true},
		{"stopped", []checkrein.Verdict{{}, {Decision: checkrein.Deny, Reason: "enough"}}, "", "", true, true},
		{"replaced and stopped", []checkrein.Verdict{{Output: quote("***")}, {Decision: checkrein.Deny}}, "", "", true, false},
	} {
		out, heard := answerVerdicts(t, after, c.rows...)
		if text, _ := rawjson.Text(heard.Output); text != c.output || heard.Context != c.context || heard.Stopped != c.stopped || heard.Rejected != "" {
			t.Errorf("%s: %s: %+v", c.name, out, heard)
		}
		if c.noError == strings.Contains(out, `"decision"`) {
			t.Errorf("%s: %s", c.name, out)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		v          checkrein.Verdict
		want       string
	}{
		{"an ask is told to the person", `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`, checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?", Notice: []string{"n"}},
			`{"decision":"ask","reason":"sure?","systemMessage":"sure?\nn"}`},
		{"a blocked prompt is told with its reason", `{"hook_event_name":"BeforeAgent","prompt":"p"}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no", Notice: []string{"n"}},
			`{"decision":"deny","reason":"no","systemMessage":"no\nn"}`},
		{"a halt is told with its reason", `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`, checkrein.Verdict{Halt: true, Reason: "enough", Notice: []string{"n"}},
			`{"continue":false,"stopReason":"enough","systemMessage":"enough\nn"}`},
		{"a denied call is told to the person", `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "checkrein blocked x: no [r]. A person can allow it: checkrein allow 4f2a\nDo not look for another way.", Notice: []string{"n"}},
			`{"decision":"deny","reason":"checkrein blocked x: no [r]. A person can allow it: checkrein allow 4f2a\nDo not look for another way.","systemMessage":"checkrein blocked x: no [r]. A person can allow it: checkrein allow 4f2a\nn"}`},
		{"a denial that ends the turn is told once", `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`, checkrein.Verdict{Decision: checkrein.Deny, Halt: true, Reason: "no\nmore", Notice: []string{"n"}},
			`{"decision":"deny","reason":"no\nmore","continue":false,"stopReason":"no\nmore","systemMessage":"no\nmore\nn"}`},
		{"a denied call is not rewritten", `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no", Input: []byte(`{"a":1}`)},
			`{"decision":"deny","reason":"no","systemMessage":"no"}`},
		{"all arguments", `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`, checkrein.Verdict{Input: []byte(`{"a":1}`)},
			`{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"a":1}}}`},
		{"a denial that peers cannot undo", `{"hook_event_name":"BeforeModel","llm_request":{}}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"},
			`{"decision":"deny","reason":"no","continue":false,"stopReason":"no"}`},
		{"messages in the whole request", `{"hook_event_name":"BeforeModel","llm_request":{"model":"m","messages":[1],"config":{"topK":64}}}`, checkrein.Verdict{Messages: []byte(`[2]`)},
			`{"hookSpecificOutput":{"hookEventName":"BeforeModel","llm_request":{"model":"m","messages":[2],"config":{"topK":64}}}}`},
		{"a chunk", `{"hook_event_name":"AfterModel","llm_response":{"text":"a","candidates":[{"content":{"role":"model","parts":["a"]},"finishReason":"STOP","index":0},{"index":1}]}}`, checkrein.Verdict{Output: []byte(`"b"`)},
			`{"hookSpecificOutput":{"hookEventName":"AfterModel","llm_response":{"text":"b","candidates":[{"content":{"role":"model","parts":["b"]},"finishReason":"STOP","index":0}]}}}`},
		{"a chunk without candidates", `{"hook_event_name":"AfterModel","llm_response":{"text":"a"}}`, checkrein.Verdict{Output: []byte(`"b"`)},
			`{"hookSpecificOutput":{"hookEventName":"AfterModel","llm_response":{"text":"b","candidates":[{"content":{"role":"model","parts":["b"]}}]}}}`},
		{"a chunk that is a call", `{"hook_event_name":"AfterModel","llm_response":{"candidates":[{"content":{"role":"model","parts":[]}}]}}`, checkrein.Verdict{Output: []byte(`"b"`)},
			`{"systemMessage":"a hook tried to rewrite a part of the answer that has no text; checkrein left it unchanged, because a tool call could get lost"}`},
		{"a halt", `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`, checkrein.Verdict{Halt: true},
			`{"continue":false,"stopReason":"a checkrein hook ended the turn"}`},
		{"going on", `{"hook_event_name":"AfterAgent","prompt_response":"done"}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "test it", Redo: "test it"},
			`{"decision":"deny","reason":"test it"}`},
		{"what nobody can name ends", `{"a":1}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"},
			`{"decision":"deny","reason":"no","continue":false,"stopReason":"no"}`},
		{"nothing", `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`, checkrein.Verdict{}, ""},
	} {
		if out, _ := answerVerdicts(t, c.body, c.v); strings.TrimSpace(out) != c.want {
			t.Errorf("%s: %s", c.name, out)
		}
	}
}
