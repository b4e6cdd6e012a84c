// Package grok implements the wire of Grok, xAI's agent.
//
// Its hooks and answers resemble Claude Code's, but many answers are ignored, and a replaced output
// must have the form that the tool returned.
package grok

import (
	"bytes"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/jsplugin"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is Grok.
var Host = wire.Host{
	Name: "grok", Title: "Grok", Version: "1.0.41", Mark: wire.Observed,
	CommandVars: []string{"GROK_AGENT"},
	About:       "Hooks go in files of their own in ~/.grok/hooks, in Claude Code's format. Grok also runs the hooks in Claude Code's and Cursor's settings. If a hook fails, hangs or is missing, the tool runs anyway.",
	Asks:        wire.Asks{Reach: wire.AtTerminal, NoAskOptions: []string{"-p", "--single", "--prompt-file", "--prompt-json", "--always-approve", "--permission-mode"}},
	Waits:       5 * time.Second,
	Events:      events, Quirks: quirks,
	Read: read, Encode: encode,
	ReportsRunInput: true, // observed
}

// members lists members of payloads and their names in the common form.
var members = [...]struct{ key, name string }{
	{"sessionId", "session_id"}, {"cwd", "cwd"}, {"source", "source"}, {"prompt", "prompt"}, {"permissionMode", "permission_mode"},
	{"toolName", "tool_name"}, {"toolUseId", "tool_use_id"}, {"toolInput", "tool_input"},
	{"lastAssistantMessage", "stop_response"}, {"stopHookActive", "stop_hook_active"},
	{"subagentType", "subagent_type"}, {"description", "task_description"},
	{"notificationType", "notification_type"}, {"message", "notification_message"}, {"error", "error"},
}

// read reads a payload.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(bytes.TrimSpace(body), "hook_event_name")
	}
	if rawjson.CheckObject(body) != nil {
		return wire.ReadAs(h, body, body, name) // reports the error
	}
	o := rawjson.Object{'{'}
	for _, m := range members {
		jsplugin.CopyMember(&o, m.name, body, m.key)
	}
	if name == "SubagentStart" || name == "SubagentStop" {
		jsplugin.CopyMember(&o, "subagent_name", body, "subagentType")
	}
	if name == "SessionEnd" {
		jsplugin.CopyMember(&o, "reason", body, "reason")
	}
	if result, ok := rawjson.Get(body, "toolResult"); ok {
		if text, ok := resultText(result); ok {
			result = rawjson.Quote(text)
		}
		o.Raw("tool_response", result)
		o.Flag("tool_error", hasFailed(body))
	}
	o.Close()
	c := wire.ReadAs(h, body, o, name)
	if name == "SubagentStop" { // its session is the sub-agent's
		for i := range c.Events {
			ev := &c.Events[i]
			ev.Details = slices.DeleteFunc(ev.Details, func(d checkrein.Detail) bool { return d.Name == "parent_session_id" })
		}
	}
	return c
}

// hasFailed reports whether the result in a payload is that of a failed call.
func hasFailed(body []byte) bool {
	result, _ := rawjson.Get(body, "toolResult")
	exit, ok := rawjson.Get(result, "exit_code")
	_, missing := rawjson.Get(result, "FileNotFound")
	return ok && string(exit) != "0" || missing
}
