package windsurf

import (
	"strings"

	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// read makes a tool call of the event's name and of tool_info.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "agent_action_name")
	}
	if name == "" || len(body) == 0 {
		return wire.Read(h, body, name)
	}
	p := patcher{o: rawjson.Object{'{'}, body: body}
	p.info, _ = rawjson.Get(body, "tool_info")
	p.event(name)
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

// A patcher says in the common words what an event says in its own.
type patcher struct {
	o          rawjson.Object
	body, info []byte
	canonical  string
}

func (p *patcher) event(name string) {
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
		p.tool(action, "file_path")
	case "write_code":
		p.canonical = "edit"
		if p.creates() {
			p.canonical = "write"
		}
		p.tool(action, "file_path")
	case "run_command":
		p.canonical = "shell"
		p.move("cwd", "cwd")
		p.tool(action, "command_line")
	case "mcp_tool_use":
		p.server()
	case "user_prompt":
		p.move("user_prompt", "prompt")
	case "cascade_response":
		p.move("response", "stop_response")
		if model, ok := rawjson.Get(p.body, "model_name"); ok {
			p.o.Raw("model_id", model)
		}
	case "setup_worktree":
		p.move("worktree_path", "worktree_path")
		p.move("root_workspace_path", "worktree_source_dir")
	default:
		p.o.Raw("tool_info", p.info)
	}
}

func (p *patcher) move(from, to string) {
	if val, ok := rawjson.Get(p.info, from); ok {
		p.o.Raw(to, val)
	}
}

// tool makes tool_info the call's arguments. Without the one that it is about,
// it is no call that anyone can judge.
func (p *patcher) tool(name, about string) {
	p.o.Text("tool_name", name)
	if val, ok := rawjson.Get(p.info, about); ok && rawjson.Kind(val) == '"' {
		p.o.Raw("tool_input", p.info)
		return
	}
	p.o.Raw("tool_input", []byte(`""`))
}

// creates reports whether every edit puts text where there was none.
func (p *patcher) creates() bool {
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

// server makes a call of a server's tool.
func (p *patcher) server() {
	server, tool := rawjson.GetText(p.info, "mcp_server_name"), rawjson.GetText(p.info, "mcp_tool_name")
	if server != "" && tool != "" {
		p.o.Text("tool_name", "mcp__"+server+"__"+tool)
		p.canonical = "mcp:" + server + "/" + tool
	}
	p.move("mcp_tool_arguments", "tool_input")
	p.move("mcp_result", "tool_response")
}
