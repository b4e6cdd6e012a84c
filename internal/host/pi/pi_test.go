package pi

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// simulate applies an answer as Pi 0.87.1 does with checkrein's extension.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	out := []byte(strings.TrimSpace(string(r.Stdout)))
	switch {
	case r.Exit != 0 || len(r.Stderr) > 0:
		h.Rejected = "not said on stdout at exit 0"
	case len(out) == 0:
	case rawjson.CheckObject(out) != nil || strings.Contains(string(out), "\n"):
		h.Rejected = "not one JSON object on one line"
	default:
		rawjson.Each(out, func(key string, val []byte) bool {
			h.Rejected = applyKey(&h, native, key, val)
			return h.Rejected == ""
		})
	}
	return h
}

// keys lists the keys that the extension accepts on each event, in addition to notice.
var keys = map[string][]string{
	"session_start": {"context"}, "context": {"context"}, "input": {"deny", "text", "context"},
	"tool_call": {"deny", "ask", "input"}, "": {"deny", "ask", "input"}, "tool_result": {"deny", "output", "context"},
	assistantEnd: {"text"}, "agent_before_settle": {"redo"}, "session_before_compact": {"deny"},
}

func applyKey(h *wiretest.Reaction, native, key string, val []byte) string {
	text, _ := rawjson.Text(val)
	kinds := map[string]byte{"deny": '"', "ask": '"', "redo": '"', "input": '{', "output": '"', "text": '"', "context": '[', "notice": '['}
	if key != "notice" && !slices.Contains(keys[native], key) {
		return "the key " + key + " means nothing on " + native
	}
	if rawjson.Kind(val) != kinds[key] {
		return key + " has the wrong type"
	}
	switch key {
	case "deny":
		if native == "tool_result" {
			h.Output = val
			break
		}
		h.Decision, h.Reason = checkrein.Deny, text
	case "ask":
		h.Decision, h.Reason = checkrein.Ask, text
	case "redo":
		h.Redo = text
	case "input":
		h.Input = val
	case "output", "text":
		h.Output = val
	case "context", "notice":
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
	return ""
}

func TestReadEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body, detail string
		want         []checkrein.Kind
	}{
		{`{"hook":"session_start","event":{"reason":"resume"}`, `source="resume"`, []checkrein.Kind{checkrein.SessionStart}},
		{`{"hook":"input","event":{"text":"hello","source":"rpc"}`, `channel="rpc"`, []checkrein.Kind{checkrein.UserPromptSubmit, checkrein.TurnStart}},
		{`{"hook":"message_end","event":{"message":{"role":"user","content":"x"}}`, "", []checkrein.Kind{checkrein.Other}},
		{`{"hook":"message_end","event":{"message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}`, "", []checkrein.Kind{checkrein.OnResponseEnd}},
		{`{"hook":"agent_before_settle","event":{"outcome":"completed","reply":"bye","again":true}`, `stop_hook_active=true`, []checkrein.Kind{checkrein.Stop}},
		{`{"hook":"agent_settled","event":{"outcome":"aborted"}`, `reason="canceled"`, []checkrein.Kind{checkrein.TurnEnd}},
		{`{"hook":"session_compact","event":{"reason":"overflow","compactionEntry":{"summary":"short"}}`, `source="auto"`, []checkrein.Kind{checkrein.AfterCompaction}},
		{`{"hook":"brand_new","event":{}`, "", []checkrein.Kind{checkrein.Other}},
	} {
		call := Host.Read(&Host, []byte(c.body+`,"ctx":{"sessionId":"s","cwd":"/p"}}`), "")
		var got []checkrein.Kind
		for _, ev := range call.Events {
			got = append(got, ev.Kind)
			if ev.Session.ID != "s" || ev.Session.Dir != "/p" {
				t.Errorf("%s: session %+v", c.body, ev.Session)
			}
		}
		if !slices.Equal(got, c.want) || call.Err != nil {
			t.Errorf("%s: %v, %v", c.body, got, call.Err)
		}
		if name, val, _ := strings.Cut(c.detail, "="); string(call.Events[0].Detail(name)) != val {
			t.Errorf("%s: %s is %s", c.body, name, call.Events[0].Detail(name))
		}
	}
}

func TestReadToolCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, tool, path, output string
		failed                   bool
	}{
		{"tool_call.edit", "edit", "a.txt", "", false},
		{"tool_result.write", "write", "a.txt", `"Successfully wrote to a.txt"`, false},
		{"tool_result.failed", "read", "nope.txt", `"ENOENT: no such file or directory, access '/home/dev/project/nope.txt'"`, true},
	} {
		p := wiretest.Payloads(t, "..", &Host, c.file+".json")[0]
		for _, ev := range Host.Read(&Host, p.Body, "").Events {
			if ev.Tool.Canonical != c.tool || !slices.Equal(ev.Tool.Paths(), []string{c.path}) || string(ev.Tool.Output) != c.output || ev.Tool.Failed != c.failed || !strings.HasPrefix(ev.Tool.CallID, "call_mock") {
				t.Errorf("%s: %+v", c.file, ev.Tool)
			}
			if ev.Kind == checkrein.PostToolUseFailure != c.failed && ev.Kind == checkrein.PostToolUseFailure {
				t.Errorf("%s: a call that did not fail fires %v", c.file, ev.Kind)
			}
		}
	}
}

// TestUnreadableGate checks that a gate denies if its arguments cannot be read.
func TestUnreadableGate(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"hook":"tool_call","event":{"input":{}}}`,
		`{"hook":"tool_call","event":{"toolName":7,"input":{}}}`,
		`{"hook":"tool_call","event":{"toolName":"bash","input":"ls"}}`,
		`{"event":{"toolName":"bash","input":{}}}`,
	} {
		if c := Host.Read(&Host, []byte(body), ""); c.Err == nil || !c.IsGate() {
			t.Errorf("%s: %v, gates %v", body, c.Err, c.IsGate())
		}
	}
}
