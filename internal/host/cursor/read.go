package cursor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// unknownServer is the beginning of the canonical name of an MCP tool, because Cursor does not send
// the server's name.
const unknownServer = "mcp:unknown/"

// read reads a payload, after converting events about one kind of tool to the form of events about any
// tool.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hook_event_name")
	}
	flat, err := rawjson.Patch(body, commonPatch(body, name))
	if err != nil || len(body) == 0 {
		return wire.Read(h, body, name)
	}
	c := wire.ReadAs(h, body, flat, name)
	for i := range c.Events {
		if t := c.Events[i].Tool; t != nil {
			if tool, ok := strings.CutPrefix(t.Name, "MCP:"); ok {
				t.Canonical = unknownServer + tool
			}
		}
	}
	if status := rawjson.GetText(body, "status"); name == "stop" && c.Err == nil && (status == "aborted" || status == "error") {
		c.Events = c.Events[1:] // drop stop, because a hook could not change anything
		c.Events[0].Details = slices.DeleteFunc(c.Events[0].Details, func(d checkrein.Detail) bool { return d.Name == "reason" })
		c.AddDetail(checkrein.TurnEnd, "reason", map[string]string{"aborted": "canceled", "error": "error"}[status])
	}
	c.AddDetail(checkrein.SessionStart, "source", "startup") // a new conversation
	return c
}

// commonPatch returns the patch that converts a payload to the common form.
func commonPatch(body []byte, name string) []byte {
	o := rawjson.Object{'{'}
	switch name {
	case "beforeShellExecution", "afterShellExecution":
		writeTool(&o, body, "Shell", "command", "cwd")
	case "beforeReadFile", "beforeTabFileRead":
		writeTool(&o, body, "Read", "file_path")
	case "afterFileEdit", "afterTabFileEdit":
		writeTool(&o, body, "Write", "file_path", "edits")
	case "beforeMCPExecution", "afterMCPExecution":
		if tool := rawjson.GetText(body, "tool_name"); tool != "" && !strings.HasPrefix(tool, "MCP:") {
			o.Text("tool_name", "MCP:"+tool)
		}
	case "postToolUseFailure":
		renameMember(&o, body, "error_message", "error")
	case "subagentStart":
		renameMember(&o, body, "task", "task_description")
	case "subagentStop":
		renameMember(&o, body, "summary", "stop_response")
		renameMember(&o, body, "task", "task_description")
	case "afterAgentResponse":
		renameMember(&o, body, "text", "stop_response")
		renameMember(&o, body, "model", "model_id")
	case "stop":
		if n, ok := readNumber(body, "loop_count"); ok {
			o.Raw("stop_hook_active", strconv.AppendBool(nil, n > 0))
		}
	case "sessionEnd":
		if ms, ok := readNumber(body, "duration_ms"); ok {
			o.Raw("duration_seconds", strconv.AppendInt(nil, ms/1000, 10))
		}
	}
	if strings.HasPrefix(name, "after") {
		renameMember(&o, body, "output", "tool_response")
		renameMember(&o, body, "result_json", "tool_response")
	}
	if rawjson.GetText(body, "cwd") == "" {
		if root, ok := rawjson.Lookup(body, "workspace_roots", "0"); ok && rawjson.Kind(root) == '"' {
			o.Raw("cwd", root)
		}
	}
	o.Close()
	return o
}

// writeTool writes a tool call with the members args of the payload as its arguments. args[0] is the
// subject of the call; if it is missing, the input is made invalid, because the call could not be
// judged.
func writeTool(o *rawjson.Object, body []byte, name string, args ...string) {
	o.Text("tool_name", name)
	if val, ok := rawjson.Get(body, args[0]); !ok || rawjson.Kind(val) != '"' {
		o.Raw("tool_input", []byte(`""`))
		return
	}
	o.Open("tool_input")
	for _, arg := range args {
		if val, ok := rawjson.Get(body, arg); ok {
			o.Raw(arg, val)
		}
	}
	o.Close()
	o.Raw(args[0], []byte("null"))
}

// readNumber returns the member name of body if it is a whole number that is not negative, and reports
// whether it is.
func readNumber(body []byte, name string) (int64, bool) {
	val, _ := rawjson.Get(body, name)
	n, err := strconv.ParseInt(string(val), 10, 64)
	return n, err == nil && n >= 0
}

func renameMember(o *rawjson.Object, body []byte, from, to string) {
	if val, ok := rawjson.Get(body, from); ok {
		o.Raw(to, val)
		o.Raw(from, []byte("null"))
	}
}

// isMCPTool reports whether a tool belongs to an MCP server.
func isMCPTool(t *checkrein.Tool) bool { return t != nil && strings.HasPrefix(t.Canonical, "mcp:") }
