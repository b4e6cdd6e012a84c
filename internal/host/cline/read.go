package cline

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// read reads a payload, after copying the data of the event from the member named after it.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hookName")
	}
	if name == "" || len(body) == 0 {
		return wire.Read(h, body, name)
	}
	flat, err := rawjson.Patch(body, commonPatch(body, name))
	if err != nil {
		return wire.Read(h, body, name)
	}
	c := wire.ReadAs(h, body, flat, name)
	switch {
	case c.Err != nil:
	case name == "Notification" && waitsForInput(body):
		ev := c.Events[0]
		ev.Kind = checkrein.OnUserInput
		c.Events = append(c.Events, ev)
	}
	for i := range c.Events {
		if t := c.Events[i].Tool; t != nil {
			setServerTool(t)
		}
	}
	return c
}

// waitsForInput reports whether a notification says that Cline waits for the user.
func waitsForInput(body []byte) bool {
	val, _ := rawjson.Lookup(body, "notification", "waitingForUserInput")
	return string(val) == "true"
}

// commonPatch returns the patch that converts a payload to the common form.
func commonPatch(body []byte, name string) []byte {
	own := strings.ToLower(name[:1]) + name[1:]
	said, _ := rawjson.Get(body, own)
	o := rawjson.Object{'{'}
	o.Raw(own, []byte("null"))
	move := func(from, to string) {
		if val, ok := rawjson.Get(said, from); ok {
			o.Raw(to, val)
		}
	}
	if root, ok := rawjson.Lookup(body, "workspaceRoots", "0"); ok {
		o.Raw("cwd", root)
	}
	if about, _ := rawjson.Get(body, "model"); rawjson.Kind(about) == '{' {
		o.Text("model", strings.Trim(rawjson.GetText(about, "provider")+"/"+rawjson.GetText(about, "slug"), "/"))
	}
	switch name {
	case "TaskStart":
		o.Text("source", "startup")
		o.Raw(own, said)
	case "PreCompact":
		move("compactionStrategy", "source")
		o.Raw(own, said)
	case "PreToolUse", "PostToolUse":
		move("toolName", "tool_name")
		move("parameters", "tool_input")
		move("result", "tool_response")
		move("executionTimeMs", "executionTimeMs")
		if val, ok := rawjson.Get(said, "success"); ok && string(val) == "false" {
			o.Raw("tool_error", []byte("true"))
		}
	case "UserPromptSubmit":
		move("prompt", "prompt")
		move("attachments", "attachments")
	case "TaskResume":
		o.Text("source", "resume")
		o.Raw("taskResume", said)
	case "TaskCancel":
		o.Text("reason", "canceled")
		o.Raw("taskCancel", said)
	case "Notification":
		move("message", "notification_message")
		move("event", "notification_type")
		move("severity", "notification_level")
	default:
		o.Raw(own, said)
	}
	o.Close()
	return o
}

// setServerTool sets the canonical name of an MCP tool and decodes its arguments, which are JSON in a
// string. Cline calls all MCP tools through one tool.
func setServerTool(t *checkrein.Tool) {
	name, tool := rawjson.GetText(t.Input, "server_name"), rawjson.GetText(t.Input, "tool_name")
	if t.Name != "use_mcp_tool" || name == "" || tool == "" {
		return
	}
	t.Canonical = "mcp:" + name + "/" + tool
	args := rawjson.GetText(t.Input, "arguments")
	if rawjson.CheckObject([]byte(args)) != nil {
		return
	}
	o := rawjson.Object{'{'}
	o.Raw("arguments", []byte(args))
	o.Close()
	if input, err := rawjson.Patch(t.Input, o); err == nil {
		t.Input = input
	}
}
