package cursor

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// knownKeys are the documented keys of answers, by event.
var knownKeys = map[string][]string{
	"preToolUse":           {"permission", "user_message", "userMessage", "agent_message", "agentMessage", "updated_input"},
	"beforeShellExecution": {"permission", "user_message", "userMessage", "agent_message", "agentMessage"},
	"beforeMCPExecution":   {"permission", "user_message", "userMessage", "agent_message", "agentMessage"},
	"beforeReadFile":       {"permission", "user_message", "userMessage"},
	"beforeTabFileRead":    {"permission", "user_message", "userMessage"},
	"subagentStart":        {"permission", "user_message", "userMessage"},
	"beforeSubmitPrompt":   {"continue", "user_message", "userMessage"},
	"postToolUse":          {"additional_context", "updated_mcp_tool_output"},
	"stop":                 {"followup_message"},
	"subagentStop":         {"followup_message"},
	"sessionStart":         {"additional_context", "env", "continue"},
}

// simulate applies an answer as Cursor does according to its documentation. It reads the answer twice,
// once only the exit code and once only the JSON, because both must deny.
func simulate(native string, payload []byte, r wire.Reply) wiretest.Reaction {
	h := wiretest.Reaction{Notice: strings.TrimSpace(string(r.Stderr))}
	if native == "" {
		native = "beforeShellExecution"
	}
	out := []byte(strings.TrimSpace(string(r.Stdout)))
	if rawjson.CheckObject(out) != nil {
		h.Rejected = "not one JSON object"
		return h
	}
	rawjson.Each(out, func(key string, _ []byte) bool {
		if !slices.Contains(knownKeys[native], key) {
			h.Rejected = "the key " + key + " means nothing on " + native
		}
		return h.Rejected == ""
	})
	get := func(key string) string { return rawjson.GetText(out, key) }
	gate := slices.Contains(knownKeys[native], "permission")
	blocked := get("permission") == "deny" || native == "beforeSubmitPrompt" && string(getMember(out, "continue")) == "false"
	if blocked != (r.Exit == 2) || r.Exit != 0 && r.Exit != 2 {
		h.Rejected = "the exit code and the JSON disagree"
	}
	if get("user_message") != get("userMessage") || get("agent_message") != get("agentMessage") {
		h.Rejected = "two spellings with two texts"
	}
	switch {
	case blocked:
		h.Decision, h.Reason, h.Shown = checkrein.Deny, h.Notice, get("user_message")
		if strings.TrimSpace(get("user_message")) == "" || slices.Contains(knownKeys[native], "agent_message") && strings.TrimSpace(get("agent_message")) == "" {
			h.Rejected = "a denial without a reason"
		}
		if slices.Contains(knownKeys[native], "agent_message") {
			h.Reason = get("agent_message")
		}
	case gate:
		h.Decision, _ = hookfile.ParseDecision(get("permission"))
		h.Reason = get("agent_message")
		if h.Decision == checkrein.Ask && native != "beforeShellExecution" && native != "beforeMCPExecution" {
			h.Decision = checkrein.Allow // Cursor does not enforce the decision here
		}
	}
	h.Input = getMember(out, "updated_input")
	if strings.Contains(string(payload), `"MCP:`) {
		h.Output = getMember(out, "updated_mcp_tool_output")
		if list, ok := rawjson.Get(h.Output, "content"); h.Output != nil && (!ok || rawjson.Kind(list) != '[') {
			h.Rejected = "not what a server returns"
		}
	}
	h.Context = get("additional_context")
	h.Redo = get("followup_message")
	return h
}

func getMember(obj []byte, key string) []byte {
	val, _ := rawjson.Get(obj, key)
	return val
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, tool, canonical, command, dir string }{
		{`{"hook_event_name":"beforeShellExecution","command":"ls","cwd":"/a","workspace_roots":["/w"]}`, "Shell", "shell", "ls", "/a"},
		{`{"hook_event_name":"beforeShellExecution","command":"ls","cwd":"","workspace_roots":["/w"]}`, "Shell", "shell", "ls", "/w"},
		{`{"hook_event_name":"beforeMCPExecution","tool_name":"q","tool_input":"{\"a\":1}","command":"npx x"}`, "MCP:q", "mcp:unknown/q", "", ""},
		{`{"hook_event_name":"beforeMCPExecution","tool_name":"bash","tool_input":{"command":"ls"}}`, "MCP:bash", "mcp:unknown/bash", "ls", ""},
		{`{"hook_event_name":"preToolUse","tool_name":"MCP:q","tool_input":{"a":1}}`, "MCP:q", "mcp:unknown/q", "", ""},
		{`{"hook_event_name":"beforeReadFile","file_path":"/w/f","content":"x"}`, "Read", "read", "", ""},
	} {
		call := Host.Read(&Host, []byte(c.body), "")
		ev := call.Events[0]
		if call.Err != nil || ev.Tool.Name != c.tool || ev.Tool.Canonical != c.canonical || ev.Tool.Command() != c.command || ev.Session.Dir != c.dir || ev.Tool.Input == nil {
			t.Errorf("%s: %v, %+v %s, %+v", c.body, call.Err, ev.Tool, ev.Tool.Input, ev.Session)
		}
	}
	for _, body := range []string{
		`{"hook_event_name":"beforeShellExecution"}`, `{"hook_event_name":"beforeShellExecution","command":7}`,
		`{"hook_event_name":"beforeReadFile","file_path":null}`, `{"hook_event_name":"beforeMCPExecution","tool_input":"{}"}`,
		`{"hook_event_name":"beforeMCPExecution","tool_name":"x","tool_input":"{"}`,
	} {
		if call := Host.Read(&Host, []byte(body), ""); call.Err == nil || !call.IsGate() {
			t.Errorf("%s: nobody can judge this, and no error", body)
		}
	}
}

// TestAbortedStopIsNoStop checks that hooks cannot continue a turn that the user ended.
func TestAbortedStopIsNoStop(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]checkrein.Kind{"completed": checkrein.Stop, "aborted": checkrein.TurnEnd, "error": checkrein.TurnEnd} {
		call := Host.Read(&Host, []byte(`{"hook_event_name":"stop","status":"`+status+`"}`), "")
		if call.Events[0].Kind != want {
			t.Errorf("%s: %v", status, call.Events[0].Kind)
		}
	}
}

func TestLongContext(t *testing.T) {
	t.Parallel()
	call := Host.Read(&Host, []byte(`{"hook_event_name":"sessionStart"}`), "")
	out := engine.Outcome{Event: call.Events[0], Verdict: checkrein.Verdict{Context: []string{strings.Repeat("é", maxContext)}}}
	text := rawjson.GetText(Host.Encode(&call, []engine.Outcome{out}).Stdout, "additional_context")
	if len(text) > maxContext || len(text) < maxContext-2 || !strings.HasSuffix(text, "limit]") || strings.ContainsRune(text, '\uFFFD') {
		t.Errorf("%d bytes: …%s", len(text), text[max(0, len(text)-40):])
	}
}
