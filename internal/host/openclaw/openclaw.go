// Package openclaw implements the wire of OpenClaw.
//
// Its typed hooks are functions of a plugin; checkrein's, [Plugin], asks a long-lived checkrein, one
// JSON line for each event, or starts a process where the host does not await promises. A line has
// some members of the two arguments of the hook, {hook, event, ctx}, and what only the plugin can find
// out: directory, the project; session, startup or resume, with the first prompt of a session.
//
// The answer is one object that the plugin applies. Each hook has its own keys:
//
//	before_tool_call         deny, ask, params
//	before_prompt_build      deny, context
//	before_agent_finalize    redo
//	tool_result_persist      output
//	before_message_write     text
//	message_sending          deny, text
//
// deny, ask and redo are reasons; params are all arguments of the tool; output and text replace the
// original; context is a list of texts for the model. Every answer may have notice, a list of texts
// for the user.
package openclaw

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/jsplugin"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is OpenClaw.
var Host = wire.Host{
	Name: "openclaw", Title: "OpenClaw", Version: "2026.9.6", Mark: wire.Observed, IsPlugin: true,
	About:  "Hooks are functions in a plugin that runs inside OpenClaw. checkrein's plugin talks to a checkrein process that it keeps running. `openclaw agent exec` calls no hooks. Without allowConversationAccess, only the tool and transcript hooks are called.",
	Asks:   wire.Asks{Reach: wire.Always, NoAskOptions: []string{"--local"}},
	Dirs:   []string{"workdir"},
	Waits:  15 * time.Second, // for most of its gates
	Events: events, Quirks: quirks,
	Read: read, Encode: encode,
}

// assistantWrite is checkrein's name for before_message_write if the message is the model's.
const assistantWrite = "before_message_write.assistant"

// read reads a line {hook, event, ctx} of the plugin. It drops session_start unless the line is about
// the first prompt of a session.
func read(h *wire.Host, body []byte, name string) wire.Call {
	p := payload{body: body}
	p.event, _ = rawjson.Get(body, "event")
	p.ctx, _ = rawjson.Get(body, "ctx")
	if name == "" {
		name = rawjson.GetText(body, "hook")
	}
	if msg, _ := rawjson.Get(p.event, "message"); name == "before_message_write" && rawjson.GetText(msg, "role") == "assistant" {
		name = assistantWrite
	}
	if rawjson.CheckObject(body) != nil {
		return wire.ReadAs(h, body, body, name) // reports the error
	}
	c := wire.ReadAs(h, body, p.flatten(name), name)
	first := rawjson.GetText(body, "session") != ""
	kept := c.Events[:0]
	for _, ev := range c.Events {
		switch ev.Kind {
		case checkrein.SessionStart:
			if !first {
				continue
			}
		}
		kept = append(kept, ev)
	}
	c.Events = kept
	return c
}

// A payload is a line of the plugin that is being read.
type payload struct{ body, event, ctx []byte }

// flatten returns the payload in the common form. It copies values as they are, so that a wrong type
// is reported.
func (p *payload) flatten(native string) []byte {
	o := rawjson.Object{'{'}
	p.copyFirst(&o, "session_id", memberRef{p.ctx, "sessionId"}, memberRef{p.event, "sessionId"}, memberRef{p.ctx, "sessionKey"}, memberRef{p.ctx, "requesterSessionKey"})
	p.copyFirst(&o, "cwd", memberRef{p.ctx, "workspaceDir"}, memberRef{p.event, "cwd"}, memberRef{p.body, "directory"})
	p.copyFirst(&o, "agent_name", memberRef{p.ctx, "agentId"})
	p.copyFirst(&o, "run_id", memberRef{p.event, "runId"}, memberRef{p.ctx, "runId"})
	switch native {
	case "before_tool_call":
		p.copyTool(&o)
	case "after_tool_call":
		p.copyTool(&o)
		p.copyResult(&o, "result")
		p.copyMember(&o, "error", "error")
	case "tool_result_persist":
		p.copyTool(&o)
		p.copyResult(&o, "message")
	case assistantWrite:
		msg, _ := rawjson.Get(p.event, "message")
		text, _ := jsplugin.MessageText(msg)
		o.Text("stop_response", text)
	case "before_prompt_build":
		p.copyMember(&o, "prompt", "prompt")
		p.copyFirst(&o, "source", memberRef{p.body, "session"})
		p.copyFirst(&o, "channel", memberRef{p.ctx, "channel"}, memberRef{p.ctx, "channelId"})
		if id := rawjson.GetText(p.ctx, "modelId"); id != "" {
			o.Text("model", strings.Trim(rawjson.GetText(p.ctx, "modelProviderId")+"/"+id, "/"))
		}
	case "before_agent_finalize":
		p.copyMember(&o, "stop_response", "lastAssistantMessage")
		p.copyMember(&o, "stop_hook_active", "stopHookActive")
	case "agent_end":
		p.copyMember(&o, "error", "error")
		p.copyMember(&o, "success", "success")
		switch done, _ := rawjson.Get(p.event, "success"); string(done) {
		case "true":
			o.Text("reason", "normal")
		case "false":
			o.Text("reason", "error")
		}
	case "llm_output":
		p.copyModelOutput(&o)
	case "message_sending":
		p.copyMember(&o, "message", "content")
		p.copyMember(&o, "to", "to")
		p.copyFirst(&o, "channel", memberRef{p.ctx, "channelId"})
		o.Text("type", "message")
	case "session_end":
		p.copyMember(&o, "reason", "reason")
	case "subagent_spawned":
		p.copyMember(&o, "subagent_name", "label")
		p.copyMember(&o, "subagent_type", "agentId")
	case "subagent_ended":
		p.copyMember(&o, "reason", "reason")
		p.copyMember(&o, "outcome", "outcome")
	default:
		o.Raw("payload", p.event)
	}
	o.Close()
	return o
}

// copyMember copies the member key of the event to name.
func (p *payload) copyMember(o *rawjson.Object, name, key string) {
	p.copyFirst(o, name, memberRef{p.event, key})
}

// A memberRef refers to a member of an object.
type memberRef struct {
	obj []byte
	key string
}

// copyFirst copies the first of places that exists and is not null to name.
func (p *payload) copyFirst(o *rawjson.Object, name string, places ...memberRef) {
	for _, at := range places {
		if val, ok := rawjson.Get(at.obj, at.key); ok && rawjson.Kind(val) != 'n' {
			o.Raw(name, val)
			return
		}
	}
}

func (p *payload) copyTool(o *rawjson.Object) {
	p.copyMember(o, "tool_name", "toolName")
	p.copyMember(o, "tool_use_id", "toolCallId")
	p.copyMember(o, "tool_input", "params")
}

// copyResult copies the output of a tool, if there is one: its text, or all of it if it has no text.
func (p *payload) copyResult(o *rawjson.Object, key string) {
	val, _ := rawjson.Get(p.event, key)
	if text, ok := jsplugin.MessageText(val); ok {
		o.Raw("tool_response", rawjson.Quote(text))
	} else if len(val) > len("{}") { // a tool that failed has only an error
		o.Raw("tool_response", val)
	}
	failed, _ := rawjson.Get(val, "isError")
	o.Flag("tool_error", string(failed) == "true" || rawjson.GetText(p.event, "error") != "")
}

func (p *payload) copyModelOutput(o *rawjson.Object) {
	var texts []string
	list, _ := rawjson.Get(p.event, "assistantTexts")
	rawjson.Elements(list, func(_ int, val []byte) bool {
		s, _ := rawjson.Text(val)
		texts = append(texts, s)
		return true
	})
	o.Text("stop_response", strings.Join(texts, "\n"))
	p.copyMember(o, "model_id", "resolvedRef")
	p.copyMember(o, "usage", "usage")
}
