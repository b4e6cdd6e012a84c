package cursor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// server stands for a server's name, which Cursor does not say.
const server = "mcp:unknown/"

// read brings the events that are about one kind of tool into the form of those
// that are about any.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hook_event_name")
	}
	flat, err := rawjson.Patch(body, patch(body, name))
	if err != nil || len(body) == 0 {
		return wire.Read(h, body, name)
	}
	c := wire.ReadAs(h, body, flat, name)
	for i := range c.Events {
		if t := c.Events[i].Tool; t != nil {
			if tool, ok := strings.CutPrefix(t.Name, "MCP:"); ok {
				t.Canonical = server + tool
			}
		}
	}
	if status := rawjson.GetText(body, "status"); name == "stop" && c.Err == nil && (status == "aborted" || status == "error") {
		c.Events = c.Events[1:] // nobody wants to stop: it is over
		c.Events[0].Details = slices.DeleteFunc(c.Events[0].Details, func(d checkrein.Detail) bool { return d.Name == "reason" })
		c.AddDetail(checkrein.TurnEnd, "reason", map[string]string{"aborted": "canceled", "error": "error"}[status])
	}
	c.AddDetail(checkrein.SessionStart, "source", "startup") // a new conversation
	return c
}

// patch describes in the words of every tool what the event says in its own.
func patch(body []byte, name string) []byte {
	o := rawjson.Object{'{'}
	switch name {
	case "beforeShellExecution", "afterShellExecution":
		tool(&o, body, "Shell", "command", "cwd")
	case "beforeReadFile", "beforeTabFileRead":
		tool(&o, body, "Read", "file_path")
	case "afterFileEdit", "afterTabFileEdit":
		tool(&o, body, "Write", "file_path", "edits")
	case "beforeMCPExecution", "afterMCPExecution":
		if tool := rawjson.GetText(body, "tool_name"); tool != "" && !strings.HasPrefix(tool, "MCP:") {
			o.Text("tool_name", "MCP:"+tool)
		}
	case "postToolUseFailure":
		moved(&o, body, "error_message", "error")
	case "subagentStart":
		moved(&o, body, "task", "task_description")
	case "subagentStop":
		moved(&o, body, "summary", "stop_response")
		moved(&o, body, "task", "task_description")
	case "afterAgentResponse":
		moved(&o, body, "text", "stop_response")
		moved(&o, body, "model", "model_id")
	case "stop":
		if n, ok := number(body, "loop_count"); ok {
			o.Raw("stop_hook_active", strconv.AppendBool(nil, n > 0))
		}
	case "sessionEnd":
		if ms, ok := number(body, "duration_ms"); ok {
			o.Raw("duration_seconds", strconv.AppendInt(nil, ms/1000, 10))
		}
	}
	if strings.HasPrefix(name, "after") {
		moved(&o, body, "output", "tool_response")
		moved(&o, body, "result_json", "tool_response")
	}
	if rawjson.GetText(body, "cwd") == "" {
		if root, ok := rawjson.Lookup(body, "workspace_roots", "0"); ok && rawjson.Kind(root) == '"' {
			o.Raw("cwd", root)
		}
	}
	o.Close()
	return o
}

// tool makes a call of the members that are its arguments. Without the first,
// which is what the call is about, it is no call that anyone can judge.
func tool(o *rawjson.Object, body []byte, name string, args ...string) {
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

// number reads a whole number that is not negative.
func number(body []byte, name string) (int64, bool) {
	val, _ := rawjson.Get(body, name)
	n, err := strconv.ParseInt(string(val), 10, 64)
	return n, err == nil && n >= 0
}

func moved(o *rawjson.Object, body []byte, from, to string) {
	if val, ok := rawjson.Get(body, from); ok {
		o.Raw(to, val)
		o.Raw(from, []byte("null"))
	}
}

// isServers reports whether a tool is one of a server.
func isServers(t *checkrein.Tool) bool { return t != nil && strings.HasPrefix(t.Canonical, "mcp:") }
