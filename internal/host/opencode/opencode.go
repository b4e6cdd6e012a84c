// Package opencode implements the wire of OpenCode.
//
// OpenCode runs no commands as hooks: checkrein's plugin, [Plugin], runs inside it and asks a
// long-lived checkrein, one JSON line for each event. A line has the two arguments of the hook, {hook,
// input, output}, and what only the plugin can find out: directory, the project; session, startup or
// resume, with the first message of a session; parent, the session that started this one; reply, the
// last text of a finished turn.
//
// The answer is one object that the plugin applies. Each hook has its own keys:
//
//	tool.execute.before                   deny, args
//	tool.execute.after                    deny, output, context
//	chat.message                          deny, text, context
//	experimental.chat.system.transform    context
//	experimental.session.compacting       context
//	experimental.text.complete            text
//
// deny is the text to throw; args are all arguments of the tool; output and text replace the original;
// context is a list of texts for the model. Every answer may have notice, a list of texts for the
// user.
package opencode

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/jsplugin"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is OpenCode.
var Host = wire.Host{
	Name: "opencode", Title: "OpenCode", Version: "1.18.33", Mark: wire.Observed, IsPlugin: true,
	CommandVars: []string{"OPENCODE"}, // read in its source
	About:       "Hooks are functions in a plugin that runs inside OpenCode. checkrein's plugin talks to a checkrein process that it keeps running. There is no stop hook.",
	Dirs:        []string{"workdir"},
	Events:      events, Quirks: quirks,
	Read: read, Encode: encode,
	ReportsRunInput: true, // observed
}

// toolError is checkrein's name for message.part.updated if the part is a tool call that failed.
const toolError = "message.part.updated.error"

// read reads a line {hook, input, output} of the plugin. The name of a bus event is its type.
func read(h *wire.Host, body []byte, name string) wire.Call {
	p := payload{body: body}
	p.input, _ = rawjson.Get(body, "input")
	p.output, _ = rawjson.Get(body, "output")
	if name == "" {
		name = rawjson.GetText(body, "hook")
	}
	if ev, ok := rawjson.Get(p.input, "event"); ok {
		p.input, _ = rawjson.Get(ev, "properties")
		if name == "event" {
			name = rawjson.GetText(ev, "type")
		}
	}
	if part, ok := rawjson.Get(p.input, "part"); ok && name == "message.part.updated" && isFailedCall(part) {
		p.input, name = part, toolError
	}
	if rawjson.CheckObject(body) != nil {
		return wire.ReadAs(h, body, body, name) // reports the error
	}
	c := wire.ReadAs(h, body, p.flatten(name), name)
	c.Events = filterKinds(c.Events, func(k checkrein.Kind) bool {
		child := p.hasText("parent")
		switch k {
		case checkrein.SessionStart:
			return p.hasText("session") && !child
		case checkrein.SubagentStart:
			return p.hasText("session") && child
		case checkrein.Stop:
			return !child
		case checkrein.SubagentStop:
			return child
		}
		return true
	})
	return c
}

// filterKinds returns the events for whose kinds is returns true.
func filterKinds(events []checkrein.Event, is func(checkrein.Kind) bool) []checkrein.Event {
	kept := events[:0]
	for _, ev := range events {
		if is(ev.Kind) {
			kept = append(kept, ev)
		}
	}
	return kept
}

// isFailedCall reports whether a part is a tool call that failed.
func isFailedCall(part []byte) bool {
	state, _ := rawjson.Get(part, "state")
	return rawjson.GetText(part, "type") == "tool" && rawjson.GetText(state, "status") == "error"
}

// A payload is a line of the plugin that is being read.
type payload struct{ body, input, output []byte }

// hasText reports whether the line has a string under key that is not empty.
func (p *payload) hasText(key string) bool { return rawjson.GetText(p.body, key) != "" }

// flatten returns the payload in the common form. It copies values as they are, so that a wrong type
// is reported.
func (p *payload) flatten(native string) []byte {
	o := rawjson.Object{'{'}
	jsplugin.CopyMember(&o, "session_id", p.input, "sessionID")
	jsplugin.CopyMember(&o, "cwd", p.body, "directory")
	jsplugin.CopyMember(&o, "parent_session_id", p.body, "parent")
	switch native {
	case "tool.execute.before":
		p.copyToolNameAndID(&o)
		jsplugin.CopyMember(&o, "tool_input", p.output, "args")
	case "tool.execute.after":
		p.copyToolNameAndID(&o)
		jsplugin.CopyMember(&o, "tool_input", p.input, "args")
		jsplugin.CopyMember(&o, "tool_response", p.output, "output")
		jsplugin.CopyMember(&o, "title", p.output, "title")
		jsplugin.CopyMember(&o, "metadata", p.output, "metadata")
	case toolError:
		p.copyToolNameAndID(&o)
		state, _ := rawjson.Get(p.input, "state")
		jsplugin.CopyMember(&o, "tool_input", state, "input")
		jsplugin.CopyMember(&o, "error", state, "error")
	case "chat.message":
		jsplugin.CopyMember(&o, "source", p.body, "session")
		message, _ := rawjson.Get(p.output, "message")
		jsplugin.CopyMember(&o, "agent_name", message, "agent")
		model, _ := rawjson.Get(message, "model")
		if id := rawjson.GetText(model, "modelID"); id != "" {
			o.Text("model", rawjson.GetText(model, "providerID")+"/"+id)
		}
		if p.hasText("parent") {
			jsplugin.CopyMember(&o, "subagent_name", message, "agent")
			jsplugin.CopyMember(&o, "subagent_type", message, "agent")
			o.Text("task_description", p.promptText())
		}
		o.Text("prompt", p.promptText())
	case "experimental.text.complete":
		jsplugin.CopyMember(&o, "stop_response", p.output, "text")
	case "experimental.chat.system.transform":
		p.copyModelCall(&o)
	case "session.idle":
		jsplugin.CopyMember(&o, "stop_response", p.body, "reply")
	case "session.error":
		failure, _ := rawjson.Get(p.input, "error")
		data, _ := rawjson.Get(failure, "data")
		jsplugin.CopyMember(&o, "notification_message", data, "message")
		jsplugin.CopyMember(&o, "notification_type", failure, "name")
		o.Text("notification_level", "error")
	default:
		o.Raw("input", p.input)
		o.Raw("output", p.output)
	}
	o.Close()
	return o
}

func (p *payload) copyToolNameAndID(o *rawjson.Object) {
	jsplugin.CopyMember(o, "tool_name", p.input, "tool")
	jsplugin.CopyMember(o, "tool_use_id", p.input, "callID")
}

// promptText returns the text that the user wrote, without the text that the host added for files
// named in it.
func (p *payload) promptText() string {
	var texts []string
	parts, _ := rawjson.Get(p.output, "parts")
	rawjson.Elements(parts, func(_ int, part []byte) bool {
		made, _ := rawjson.Get(part, "synthetic")
		if rawjson.GetText(part, "type") == "text" && string(made) != "true" {
			texts = append(texts, rawjson.GetText(part, "text"))
		}
		return true
	})
	return strings.Join(texts, "\n")
}

func (p *payload) copyModelCall(o *rawjson.Object) {
	var texts []string
	list, _ := rawjson.Get(p.output, "system")
	rawjson.Elements(list, func(_ int, val []byte) bool {
		s, _ := rawjson.Text(val)
		texts = append(texts, s)
		return true
	})
	o.Text("system", strings.Join(texts, "\n"))
	model, _ := rawjson.Get(p.input, "model")
	if id := rawjson.GetText(model, "id"); id != "" {
		o.Text("model_id", rawjson.GetText(model, "providerID")+"/"+id)
	}
}
