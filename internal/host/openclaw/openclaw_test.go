package openclaw

import (
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

// simulate applies an answer as OpenClaw 2026.9.6 does with checkrein's plugin.
func simulate(native string, payload []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	out := []byte(strings.TrimSpace(string(r.Stdout)))
	switch {
	case r.Exit != 0 || len(r.Stderr) > 0:
		h.Rejected = "not said on stdout at exit 0"
	case len(out) == 0:
	case rawjson.CheckObject(out) != nil || strings.Contains(string(out), "\n"):
		h.Rejected = "not one JSON object on one line"
	default:
		m := reader{h: &h, native: native, payload: payload}
		rawjson.Each(out, m.readKey)
	}
	return h
}

type reader struct {
	h       *wiretest.Reaction
	native  string
	payload []byte
}

func keysOf(native string) []string {
	switch native {
	case "before_tool_call", "":
		return []string{"deny", "ask", "params", "notice"}
	case "before_prompt_build":
		return []string{"deny", "context", "notice"}
	case "before_agent_finalize":
		return []string{"redo", "notice"}
	case "message_sending":
		return []string{"deny", "text", "notice"}
	case "tool_result_persist":
		return []string{"output", "notice"}
	case assistantWrite:
		return []string{"text", "notice"}
	}
	return []string{"notice"}
}

func (m *reader) readKey(key string, val []byte) bool {
	h := m.h
	text, isText := rawjson.Text(val)
	switch {
	case !slices.Contains(keysOf(m.native), key):
		h.Rejected = "the key " + key + " means nothing on " + m.native
	case isText == (key == "params" || key == "context" || key == "notice"):
		h.Rejected = key + " has the wrong type"
	case key == "deny":
		h.Decision, h.Reason = checkrein.Deny, text
	case key == "ask":
		h.Decision, h.Reason = checkrein.Ask, text
	case key == "redo":
		h.Redo = text
	case key == "params": // merged into the original arguments
		was, _ := rawjson.Lookup(m.payload, "event", "params")
		h.Input, _ = rawjson.Patch(was, val)
	case isText:
		h.Output = val
	default:
		rawjson.Elements(val, func(_ int, v []byte) bool {
			s, _ := rawjson.Text(v)
			if key == "notice" {
				h.Notice += s + "\n"
			} else {
				h.Context += s + "\n"
			}
			return true
		})
	}
	return h.Rejected == ""
}

func TestEventsThatDependOnThePayload(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body string
		want []checkrein.Kind
	}{
		{`{"hook":"after_tool_call","event":{"toolName":"exec"},"ctx":{}}`, []checkrein.Kind{checkrein.PostToolUse}},
		{`{"hook":"after_tool_call","event":{"toolName":"exec","error":"no"},"ctx":{}}`, []checkrein.Kind{checkrein.PostToolUse, checkrein.PostToolUseFailure}},
		{`{"hook":"before_prompt_build","event":{"prompt":"x"},"ctx":{}}`, []checkrein.Kind{checkrein.UserPromptSubmit, checkrein.TurnStart}},
		{`{"hook":"before_prompt_build","session":"startup","event":{"prompt":"x"},"ctx":{}}`, []checkrein.Kind{checkrein.SessionStart, checkrein.UserPromptSubmit, checkrein.TurnStart}},
		{`{"hook":"before_message_write","event":{"message":{"role":"user","content":"x"}},"ctx":{}}`, []checkrein.Kind{checkrein.Other}},
		{`{"hook":"before_message_write","event":{"message":{"role":"assistant","content":"x"}},"ctx":{}}`, []checkrein.Kind{checkrein.OnResponseEnd}},
		{`{"hook":"brand_new","event":{},"ctx":{}}`, []checkrein.Kind{checkrein.Other}},
	} {
		var got []checkrein.Kind
		call := Host.Read(&Host, []byte(c.body), "")
		for _, ev := range call.Events {
			got = append(got, ev.Kind)
		}
		if !slices.Equal(got, c.want) || call.Err != nil {
			t.Errorf("%s: %v, %v", c.body, got, call.Err)
		}
	}
}

func TestSessionAndDirectory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, session, dir string }{
		{`{"hook":"agent_end","event":{"sessionId":"e"},"ctx":{"sessionId":"c","sessionKey":"k","workspaceDir":"/w"},"directory":"/d"}`, "c", "/w"},
		{`{"hook":"agent_end","event":{"sessionId":"e","cwd":"/e"},"ctx":{"sessionKey":"k"},"directory":"/d"}`, "e", "/e"},
		{`{"hook":"agent_end","event":{},"ctx":{"sessionKey":"k","sessionId":null},"directory":"/d"}`, "k", "/d"},
	} {
		if s := Host.Read(&Host, []byte(c.body), "").Events[0].Session; s.ID != c.session || s.Dir != c.dir {
			t.Errorf("%s: %+v", c.body, s)
		}
	}
	ev := Host.Read(&Host, []byte(`{"hook":"tool_result_persist","event":{"toolName":"exec","toolCallId":"c","params":{"command":"ls"},"message":{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}],"isError":true}},"ctx":{}}`), "").Events[0]
	if ev.Tool.Command() != "ls" || string(ev.Tool.Output) != `"a\nb"` || !ev.Tool.Failed || ev.Tool.CallID != "c" {
		t.Errorf("%+v", ev.Tool)
	}
}

// TestRemovedArgument checks that a call with a removed argument is denied. OpenClaw merges changed
// arguments into the original ones, so none can be removed.
func TestRemovedArgument(t *testing.T) {
	t.Parallel()
	c := Host.Read(&Host, []byte(`{"hook":"before_tool_call","event":{"toolName":"exec","params":{"command":"ls","elevated":true}},"ctx":{}}`), "")
	r := Host.Encode(&c, []engine.Outcome{{Event: c.Events[0], Verdict: checkrein.Verdict{Input: []byte(`{"command":"ls"}`)}}})
	if !strings.Contains(rawjson.GetText(r.Stdout, "deny"), "elevated") {
		t.Errorf("%s", r.Stdout)
	}
}
