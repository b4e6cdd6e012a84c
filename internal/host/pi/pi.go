// Package pi implements the wire of Pi.
//
// Pi runs no commands as hooks: checkrein's extension, [Plugin], runs inside it and asks a long-lived
// checkrein, one JSON line for each event. A line has the members of Pi's event that matter and of its
// context, {hook, event, ctx}; ctx has cwd, sessionId and model. The extension adds to event what only
// it can find out: system, the system prompt of context; reply, the last text of a turn that is about
// to end, and again, set if a hook has kept that turn going; outcome, how a turn ended.
//
// The answer is one object that the extension applies. Each event has its own keys:
//
//	session_start, context     context
//	input                      deny, text, context
//	tool_call                  deny, ask, input
//	tool_result                deny, output, context
//	message_end                text
//	agent_before_settle        redo
//	session_before_compact     deny
//
// deny, ask and redo are reasons; input are all arguments of the tool; output and text replace the
// original; context is a list of texts for the model. Every answer may have notice, a list of texts
// for the user.
package pi

import (
	"github.com/checkrein/checkrein/internal/host/jsplugin"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is Pi.
var Host = wire.Host{
	Name: "pi", Title: "Pi", Version: "0.87.1", Mark: wire.Observed, IsPlugin: true,
	CommandVars: []string{"PI_CODING_AGENT"},
	About:       "Hooks are functions in an extension that runs inside Pi. checkrein's extension talks to a checkrein process that it keeps running. Pi itself asks about no tool call: it runs every call that an extension does not block.",
	Asks:        wire.Asks{Reach: wire.AtTerminal},
	Events:      events, Quirks: quirks,
	Read: read, Encode: encode,
	ReportsRunInput: true, // observed
}

// assistantEnd is checkrein's name for message_end if the message is the model's.
const assistantEnd = "message_end.assistant"

// read reads a line {hook, event, ctx} of the extension.
func read(h *wire.Host, body []byte, name string) wire.Call {
	event, _ := rawjson.Get(body, "event")
	ctx, _ := rawjson.Get(body, "ctx")
	if name == "" {
		name = rawjson.GetText(body, "hook")
	}
	if msg, _ := rawjson.Get(event, "message"); name == "message_end" && rawjson.GetText(msg, "role") == "assistant" {
		name = assistantEnd
	}
	if rawjson.CheckObject(body) != nil {
		return wire.ReadAs(h, body, body, name) // reports the error
	}
	return wire.ReadAs(h, body, flatten(name, event, ctx), name)
}

// flatten returns an event in the common form. It copies values as they are, so that a wrong type is
// reported.
func flatten(native string, event, ctx []byte) []byte {
	o := rawjson.Object{'{'}
	set := func(name, key string) { jsplugin.CopyMember(&o, name, event, key) }
	jsplugin.CopyMember(&o, "session_id", ctx, "sessionId")
	jsplugin.CopyMember(&o, "cwd", ctx, "cwd")
	switch native {
	case "session_start":
		set("source", "reason")
		jsplugin.CopyMember(&o, "model", ctx, "model")
	case "input":
		set("prompt", "text")
		set("channel", "source")
	case "context":
		set("system", "system")
		jsplugin.CopyMember(&o, "model_id", ctx, "model")
	case "tool_call", "tool_result":
		set("tool_name", "toolName")
		set("tool_use_id", "toolCallId")
		set("tool_input", "input")
		if native == "tool_result" {
			copyResult(&o, event)
		}
	case assistantEnd:
		msg, _ := rawjson.Get(event, "message")
		text, _ := jsplugin.MessageText(msg)
		o.Text("stop_response", text)
		jsplugin.CopyMember(&o, "model_id", ctx, "model")
	case "agent_before_settle":
		set("stop_response", "reply")
		set("stop_hook_active", "again")
	case "agent_settled":
		o.Text("reason", map[string]string{"completed": "normal", "aborted": "canceled", "error": "error"}[rawjson.GetText(event, "outcome")])
	case "session_before_compact":
		copyTrigger(&o, event)
	case "session_compact":
		copyTrigger(&o, event)
		entry, _ := rawjson.Get(event, "compactionEntry")
		jsplugin.CopyMember(&o, "summary", entry, "summary")
	case "session_shutdown":
		set("reason", "reason")
	default:
		o.Raw("payload", event)
	}
	o.Close()
	return o
}

// copyResult copies the text of a tool's result, which is the error if the tool failed.
func copyResult(o *rawjson.Object, event []byte) {
	text, _ := jsplugin.MessageText(event)
	failed := isTrue(event, "isError")
	o.Raw("tool_response", rawjson.Quote(text))
	o.Flag("tool_error", failed)
	if failed {
		o.Text("error", text)
	}
}

// copyTrigger copies what started a compaction: the user, or the size of the conversation.
func copyTrigger(o *rawjson.Object, event []byte) {
	switch rawjson.GetText(event, "reason") {
	case "manual":
		o.Text("source", "manual")
	case "threshold", "overflow":
		o.Text("source", "auto")
	}
}

func isTrue(obj []byte, key string) bool {
	val, _ := rawjson.Get(obj, key)
	return string(val) == "true"
}
