package windsurf

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// simulate applies an answer as Windsurf does according to its documentation.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	h := wiretest.Reaction{Notice: strings.TrimSpace(string(r.Stderr))}
	switch {
	case len(r.Stdout) > 0:
		h.Rejected = "stdout, which nobody reads"
	case r.Exit == 0:
	case r.Exit == 2 && (strings.HasPrefix(native, "pre_") || native == ""):
		h.Decision, h.Reason = checkrein.Deny, h.Notice
	default:
		h.Rejected = "an exit code that means nothing here"
	}
	return h
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, name, canonical, command, path string }{
		{`{"agent_action_name":"pre_run_command","tool_info":{"command_line":"ls","cwd":"/w"}}`, "run_command", "shell", "ls", ""},
		{`{"agent_action_name":"pre_read_code","tool_info":{"file_path":"/w/a"}}`, "read_code", "read", "", "/w/a"},
		{`{"agent_action_name":"pre_write_code","tool_info":{"file_path":"/w/a","edits":[{"old_string":"","new_string":"x"}]}}`, "write_code", "write", "", "/w/a"},
		{`{"agent_action_name":"pre_write_code","tool_info":{"file_path":"/w/a","edits":[{"old_string":"","new_string":"x"},{"old_string":"y","new_string":"x"}]}}`, "write_code", "edit", "", "/w/a"},
		{`{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":"a__b","mcp_tool_name":"c","mcp_tool_arguments":{}}}`, "mcp__a__b__c", "mcp:a__b/c", "", ""},
	} {
		call := Host.Read(&Host, []byte(c.body), "")
		tool := call.Events[0].Tool
		if call.Err != nil || tool.Name != c.name || tool.Canonical != c.canonical || tool.Command() != c.command || strings.Join(tool.Paths(), " ") != c.path {
			t.Errorf("%s: %v, %+v, %q", c.body, call.Err, tool, tool.Paths())
		}
	}
	for _, body := range []string{
		`{"agent_action_name":"pre_run_command"}`, `{"agent_action_name":"pre_run_command","tool_info":{"command_line":["ls"]}}`,
		`{"agent_action_name":"pre_read_code","tool_info":{}}`, `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_tool_name":"c"}}`,
		`{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":"a","mcp_tool_name":"c","mcp_tool_arguments":7}}`,
	} {
		if call := Host.Read(&Host, []byte(body), ""); call.Err == nil || !call.IsGate() {
			t.Errorf("%s: nobody can judge this, and no error", body)
		}
	}
	call := Host.Read(&Host, []byte(`{"agent_action_name":"pre_run_command","trajectory_id":"t","tool_info":{"command_line":"ls","cwd":"/w"}}`), "")
	if s := call.Events[0].Session; s.ID != "t" || s.Dir != "/w" {
		t.Errorf("%+v", s)
	}
}
