package kiro

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// simulate applies an answer as Kiro CLI does according to its documentation.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	out, told := strings.TrimSpace(string(r.Stdout)), strings.TrimSpace(string(r.Stderr))
	switch {
	case r.Exit == 0:
		if native == "agentSpawn" || native == "userPromptSubmit" {
			h.Context = out
		} else if out != "" {
			h.Rejected = "stdout, which nobody reads"
		}
	case r.Exit == 2 && (native == "preToolUse" || native == ""):
		h.Decision, h.Reason = checkrein.Deny, told
	default:
		h.Notice = told
		if out != "" {
			h.Rejected = "stdout of a hook that failed"
		}
	}
	return h
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, canonical, command, paths string }{
		{`{"hook_event_name":"preToolUse","tool_name":"execute_bash","tool_input":{"command":"ls"}}`, "shell", "ls", ""},
		{`{"hook_event_name":"preToolUse","tool_name":"shell","tool_input":{"command":"ls"}}`, "shell", "ls", ""},
		{`{"hook_event_name":"preToolUse","tool_name":"fs_write","tool_input":{"command":"create","path":"/a"}}`, "write", "", "/a"},
		{`{"hook_event_name":"preToolUse","tool_name":"fs_read","tool_input":{"operations":[{"path":"/a"},{"image_paths":["/b","/c"]}]}}`, "read", "", "/a /b /c"},
		{`{"hook_event_name":"preToolUse","tool_name":"@db/query","tool_input":{}}`, "mcp:db/query", "", ""},
	} {
		call := Host.Read(&Host, []byte(c.body), "")
		tool := call.Events[0].Tool
		if call.Err != nil || tool.Canonical != c.canonical || tool.Command() != c.command || strings.Join(tool.Paths(), " ") != c.paths {
			t.Errorf("%s: %v, %+v, %q", c.body, call.Err, tool, tool.Paths())
		}
	}
}

func TestFailedToolIsAFailure(t *testing.T) {
	t.Parallel()
	for success, want := range map[string][]checkrein.Kind{
		"true": {checkrein.ToolResponseTransform, checkrein.PostToolUse}, "false": {checkrein.ToolResponseTransform, checkrein.PostToolUse, checkrein.PostToolUseFailure},
	} {
		call := Host.Read(&Host, []byte(`{"hook_event_name":"postToolUse","tool_name":"x","tool_response":{"success":`+success+`}}`), "")
		var got []checkrein.Kind
		for _, ev := range call.Events {
			got = append(got, ev.Kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("success %s: %v", success, got)
		}
	}
}

// TestContextBeforeNotice checks that a notice neither drops context nor blocks a call.
func TestContextBeforeNotice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event string
		v     checkrein.Verdict
		exit  int
	}{
		{"agentSpawn", checkrein.Verdict{Context: []string{"a"}, Notice: []string{"b"}}, 0},
		{"agentSpawn", checkrein.Verdict{Notice: []string{"b"}}, 1},
		{"agentSpawn", checkrein.Verdict{}, 0},
		{"preToolUse", checkrein.Verdict{Notice: []string{"b"}}, 0},
	} {
		call := Host.Read(&Host, []byte(`{"hook_event_name":"`+c.event+`"}`), "")
		if r := Host.Encode(&call, []engine.Outcome{{Event: call.Events[0], Verdict: c.v}}); r.Exit != c.exit {
			t.Errorf("%+v: exit %d, %s", c.v, r.Exit, r.Stdout)
		}
	}
}
