package cline

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

// simulate applies an answer as Cline does according to its documentation.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	h := wiretest.Reaction{Notice: strings.TrimSpace(string(r.Stderr))}
	out := []byte(strings.TrimSpace(string(r.Stdout)))
	if r.Exit != 0 || rawjson.CheckObject(out) != nil {
		h.Rejected = "an exit code, or not one JSON object"
		return h
	}
	cancel := false
	rawjson.Each(out, func(key string, val []byte) bool {
		text, isText := rawjson.Text(val)
		switch key {
		case "cancel":
			if rawjson.Kind(val) != 'b' {
				h.Rejected = "cancel is no bool"
			}
			cancel = string(val) == "true"
		case "errorMessage":
			h.Reason = text
		case "contextModification":
			h.Context = text
		default:
			h.Rejected = "the key " + key + " means nothing"
		}
		if key != "cancel" && !isText {
			h.Rejected = key + " is no text"
		}
		return h.Rejected == ""
	})
	switch {
	case !cancel:
		h.Reason = ""
	case slices.Contains([]string{"TaskCancel", "Notification", "TaskComplete", "TaskStart", "TaskResume"}, native):
		h.Rejected = "there is nothing to cancel"
	case native == "PostToolUse":
		h.Stopped = true
	default:
		h.Decision = checkrein.Deny
		h.Reason, h.Shown = h.Context, h.Reason // the model does not see the message
		if strings.TrimSpace(h.Shown) == "" {
			h.Rejected = "the person is not told why"
		}
	}
	if native == "PreCompact" || native == "Notification" {
		h.Context = ""
	}
	return h
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, canonical, command, input string }{
		{`{"hookName":"PreToolUse","preToolUse":{"toolName":"execute_command","parameters":{"command":"ls"}}}`, "shell", "ls", `{"command":"ls"}`},
		{`{"hookName":"PreToolUse","preToolUse":{"toolName":"use_mcp_tool","parameters":{"server_name":"db","tool_name":"q","arguments":"{\"a\":1}"}}}`, "mcp:db/q", "", `{"server_name":"db","tool_name":"q","arguments":{"a":1}}`},
		{`{"hookName":"PreToolUse","preToolUse":{"toolName":"use_mcp_tool","parameters":{"server_name":"db","tool_name":"q","arguments":"{"}}}`, "mcp:db/q", "", `{"server_name":"db","tool_name":"q","arguments":"{"}`},
	} {
		call := Host.Read(&Host, []byte(c.body), "")
		tool := call.Events[0].Tool
		if call.Err != nil || tool.Canonical != c.canonical || tool.Command() != c.command || !rawjson.Equal(tool.Input, []byte(c.input)) {
			t.Errorf("%s: %v, %+v %s", c.body, call.Err, tool, tool.Input)
		}
	}
	for _, body := range []string{
		`{"hookName":"PreToolUse"}`, `{"hookName":"PreToolUse","preToolUse":[]}`, `{"hookName":"PreToolUse","preToolUse":{"toolName":7}}`,
		`{"hookName":"PreToolUse","preToolUse":{"toolName":"x","parameters":"y"}}`,
	} {
		if call := Host.Read(&Host, []byte(body), ""); call.Err == nil || !call.IsGate() {
			t.Errorf("%s: nobody can judge this, and no error", body)
		}
	}
}

func TestEventsThatDependOnThePayload(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body string
		want []checkrein.Kind
	}{
		{`{"hookName":"PostToolUse","postToolUse":{"toolName":"x","success":true}}`, []checkrein.Kind{checkrein.ToolResponseTransform, checkrein.PostToolUse}},
		{`{"hookName":"PostToolUse","postToolUse":{"toolName":"x","success":false}}`, []checkrein.Kind{checkrein.ToolResponseTransform, checkrein.PostToolUse, checkrein.PostToolUseFailure}},
		{`{"hookName":"Notification","notification":{"waitingForUserInput":true}}`, []checkrein.Kind{checkrein.Notification, checkrein.OnUserInput}},
		{`{"hookName":"Notification","notification":{}}`, []checkrein.Kind{checkrein.Notification}},
		{`{"hookName":"BrandNew","brandNew":{"a":1}}`, []checkrein.Kind{checkrein.Other}},
	} {
		call := Host.Read(&Host, []byte(c.body), "")
		var got []checkrein.Kind
		for _, ev := range call.Events {
			got = append(got, ev.Kind)
		}
		if call.Err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", c.body, got, call.Err)
		}
	}
	call := Host.Read(&Host, []byte(`{"hookName":"UserPromptSubmit","taskId":"t","workspaceRoots":["/w"],"userPromptSubmit":{"prompt":"hi"}}`), "")
	if ev := call.Events[0]; ev.Text != "hi" || ev.Session.ID != "t" || ev.Session.Dir != "/w" {
		t.Errorf("%+v", ev)
	}
}
