package hermes

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

// simulate applies an answer as Hermes Agent does according to its documentation. Its stderr is a log.
func simulate(native string, payload []byte, r wire.Reply) wiretest.Reaction {
	h := wiretest.Reaction{Notice: strings.TrimSpace(string(r.Stderr))}
	out := []byte(strings.TrimSpace(string(r.Stdout)))
	if rawjson.CheckObject(out) != nil {
		h.Rejected = "not one JSON object"
		return h
	}
	get := func(key string) string { return rawjson.GetText(out, key) }
	var allowed []string
	switch native {
	case "pre_tool_call", "":
		allowed = []string{"action", "message", "rule_key", "args"}
		switch get("action") {
		case "block":
			h.Decision, h.Reason = checkrein.Deny, get("message")
		case "approve":
			h.Decision, h.Reason = checkrein.Ask, get("message")
		case "modify":
			args, _ := rawjson.Get(out, "args")
			was, _ := rawjson.Get(payload, "tool_input")
			h.Input, _ = rawjson.Patch(was, args)
		}
		if (r.Exit == 2) != (h.Decision == checkrein.Deny) {
			h.Rejected = "the exit code and the JSON disagree"
		}
	case "pre_verify":
		allowed = []string{"action", "message"}
		if get("action") == "continue" {
			h.Redo = get("message")
		}
	case "pre_llm_call":
		allowed = []string{"context"}
		h.Context = get("context")
	}
	if r.Exit != 0 && native != "pre_tool_call" && native != "" {
		h.Rejected = "an exit code that is a failure here"
	}
	rawjson.Each(out, func(key string, _ []byte) bool {
		if !slices.Contains(allowed, key) {
			h.Rejected = "the key " + key + " means nothing on " + native
		}
		return true
	})
	return h
}

func encodeVerdict(t *testing.T, body string, v checkrein.Verdict) []byte {
	t.Helper()
	call := Host.Read(&Host, []byte(body), "")
	if call.Err != nil {
		t.Fatal(call.Err)
	}
	return Host.Encode(&call, []engine.Outcome{{Event: call.Events[0], Verdict: v}}).Stdout
}

func TestRuleKey(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, command := range []string{"ls", "ls ", "rm x"} {
		out := encodeVerdict(t, `{"hook_event_name":"pre_tool_call","tool_name":"terminal","tool_input":{"command":"`+command+`"}}`, checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?"})
		keys[rawjson.GetText(out, "rule_key")] = true
	}
	if len(keys) != 3 {
		t.Errorf("calls share a key: %v", keys)
	}
}

func TestRemovedArguments(t *testing.T) {
	t.Parallel()
	out := encodeVerdict(t, `{"hook_event_name":"pre_tool_call","tool_name":"terminal","tool_input":{"command":"ls","background":true}}`, checkrein.Verdict{Input: []byte(`{"command":"ls -l"}`)})
	args, _ := rawjson.Get(out, "args")
	if !rawjson.Equal(args, []byte(`{"background":null,"command":"ls -l"}`)) {
		t.Errorf("%s", args)
	}
}

func TestChangedAndAskedIsBlocked(t *testing.T) {
	t.Parallel()
	out := encodeVerdict(t, `{"hook_event_name":"pre_tool_call","tool_name":"terminal","tool_input":{"command":"ls"}}`, checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?", Input: []byte(`{"command":"ls -l"}`)})
	if rawjson.GetText(out, "action") != "block" || !strings.Contains(rawjson.GetText(out, "message"), "sure?") {
		t.Errorf("%s", out)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	ev := Host.Read(&Host, []byte(`{"hook_event_name":"pre_llm_call","tool_name":null,"tool_input":null,"session_id":"s","extra":{"user_message":"hi"}}`), "").Events[0]
	if ev.Text != "hi" || ev.Session.ID != "s" {
		t.Errorf("%+v", ev)
	}
	tool := Host.Read(&Host, []byte(`{"hook_event_name":"pre_approval_request","extra":{"command":"rm x"}}`), "").Events[0].Tool
	if tool.Command() != "rm x" {
		t.Errorf("%+v", tool)
	}
	if call := Host.Read(&Host, []byte(`{"hook_event_name":"pre_tool_call","tool_name":"terminal","tool_input":null}`), ""); call.Err == nil {
		t.Error("a call whose arguments nobody knows passes")
	}
}
