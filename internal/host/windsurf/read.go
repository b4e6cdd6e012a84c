package windsurf

import (
	"strings"

	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// read reads a payload, after converting the event's name and tool_info to a tool call.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "agent_action_name")
	}
	if name == "" || len(body) == 0 {
		return wire.Read(h, body, name)
	}
	p := patcher{o: rawjson.Object{'{'}, body: body}
	p.info, _ = rawjson.Get(body, "tool_info")
	p.convertEvent(name)
	p.o.Close()
	flat, err := rawjson.Patch(body, p.o)
	if err != nil {
		return wire.Read(h, body, name)
	}
	c := wire.ReadAs(h, body, flat, name)
	for i := range c.Events {
		if t := c.Events[i].Tool; t != nil {
			t.Canonical = p.canonical
		}
	}
	return c
}

// A patcher builds the patch that converts a payload to the common form.
type patcher struct {
	o          rawjson.Object
	body, info []byte
	canonical  string
}

// convertEvent adds the members of the common form for the event name.
func (p *patcher) convertEvent(name string) {
	if rawjson.Kind(p.info) == '{' {
		p.o.Raw("tool_info", []byte("null"))
	}
	if id, ok := rawjson.Get(p.body, "trajectory_id"); ok {
		p.o.Raw("session_id", id)
	}
	_, action, _ := strings.Cut(name, "_")
	switch action {
	case "read_code":
		p.canonical = "read"
		p.writeTool(action, "file_path")
	case "write_code":
		p.canonical = "edit"
		if p.createsFile() {
			p.canonical = "write"
		}
		p.writeTool(action, "file_path")
	case "run_command":
		p.canonical = "shell"
		p.copyMember("cwd", "cwd")
		p.writeTool(action, "command_line")
	case "mcp_tool_use":
		p.writeServerTool()
	case "user_prompt":
		p.copyMember("user_prompt", "prompt")
	case "cascade_response":
		p.copyMember("response", "stop_response")
		if model, ok := rawjson.Get(p.body, "model_name"); ok {
			p.o.Raw("model_id", model)
		}
	case "setup_worktree":
		p.copyMember("worktree_path", "worktree_path")
		p.copyMember("root_workspace_path", "worktree_source_dir")
	default:
		p.o.Raw("tool_info", p.info)
	}
}

func (p *patcher) copyMember(from, to string) {
	if val, ok := rawjson.Get(p.info, from); ok {
		p.o.Raw(to, val)
	}
}

// writeTool writes a tool call with tool_info as its arguments. The member about is the subject of the
// call; if it is missing, the input is made invalid, because the call could not be judged.
func (p *patcher) writeTool(name, about string) {
	p.o.Text("tool_name", name)
	if val, ok := rawjson.Get(p.info, about); ok && rawjson.Kind(val) == '"' {
		p.o.Raw("tool_input", p.info)
		return
	}
	p.o.Raw("tool_input", []byte(`""`))
}

// createsFile reports whether every edit adds text without replacing any.
func (p *patcher) createsFile() bool {
	edits, _ := rawjson.Get(p.info, "edits")
	n, empty := 0, 0
	rawjson.Elements(edits, func(_ int, edit []byte) bool {
		n++
		if old, ok := rawjson.Get(edit, "old_string"); ok && string(old) == `""` {
			empty++
		}
		return true
	})
	return n > 0 && n == empty
}

// writeServerTool writes a call to an MCP tool.
func (p *patcher) writeServerTool() {
	server, tool := rawjson.GetText(p.info, "mcp_server_name"), rawjson.GetText(p.info, "mcp_tool_name")
	if server != "" && tool != "" {
		p.o.Text("tool_name", "mcp__"+server+"__"+tool)
		p.canonical = "mcp:" + server + "/" + tool
	}
	p.copyMember("mcp_tool_arguments", "tool_input")
	p.copyMember("mcp_result", "tool_response")
}
