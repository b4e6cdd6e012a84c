// Package openclaw is the wire of OpenClaw.
//
// Its typed hooks are functions of a plugin; ours, [Plugin], asks a long-lived
// checkrein, one JSON line for each event, and a process of its own where the
// host does not wait for promises. A line has chosen members of the two arguments
// of the hook, {hook, event, ctx}, and beside them what only the plugin knows:
// directory, the project; session, startup or resume, with the first prompt of a
// session.
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
// deny, ask and redo are reasons; params are all arguments of the tool; output and
// text take the place of what was there; context is a list of texts for the model.
// Every answer may have notice, a list of texts for the person.
package openclaw

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein"
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
	Read: read, Encode: say,
}

// assistantWrite is how we call before_message_write of what the model said.
const assistantWrite = "before_message_write.assistant"

// read reads {hook, event, ctx}.
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
		return wire.ReadAs(h, body, body, name) // which says what is wrong with it
	}
	c := wire.ReadAs(h, body, p.flat(name), name)
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

// A payload is one being read.
type payload struct{ body, event, ctx []byte }

// flat is the payload in the words that all hosts' are read in. Values go over
// as they are, so that one of a wrong type is noticed.
func (p *payload) flat(native string) []byte {
	o := rawjson.Object{'{'}
	p.first(&o, "session_id", place{p.ctx, "sessionId"}, place{p.event, "sessionId"}, place{p.ctx, "sessionKey"}, place{p.ctx, "requesterSessionKey"})
	p.first(&o, "cwd", place{p.ctx, "workspaceDir"}, place{p.event, "cwd"}, place{p.body, "directory"})
	p.first(&o, "agent_name", place{p.ctx, "agentId"})
	p.first(&o, "run_id", place{p.event, "runId"}, place{p.ctx, "runId"})
	switch native {
	case "before_tool_call":
		p.tool(&o)
	case "after_tool_call":
		p.tool(&o)
		p.result(&o, "result")
		p.take(&o, "error", "error")
	case "tool_result_persist":
		p.tool(&o)
		p.result(&o, "message")
	case assistantWrite:
		msg, _ := rawjson.Get(p.event, "message")
		text, _ := textOf(msg)
		o.Text("stop_response", text)
	case "before_prompt_build":
		p.take(&o, "prompt", "prompt")
		p.first(&o, "source", place{p.body, "session"})
		p.first(&o, "channel", place{p.ctx, "channel"}, place{p.ctx, "channelId"})
		if id := rawjson.GetText(p.ctx, "modelId"); id != "" {
			o.Text("model", strings.Trim(rawjson.GetText(p.ctx, "modelProviderId")+"/"+id, "/"))
		}
	case "before_agent_finalize":
		p.take(&o, "stop_response", "lastAssistantMessage")
		p.take(&o, "stop_hook_active", "stopHookActive")
	case "agent_end":
		p.take(&o, "error", "error")
		p.take(&o, "success", "success")
		switch done, _ := rawjson.Get(p.event, "success"); string(done) {
		case "true":
			o.Text("reason", "normal")
		case "false":
			o.Text("reason", "error")
		}
	case "llm_output":
		p.llmOutput(&o)
	case "message_sending":
		p.take(&o, "message", "content")
		p.take(&o, "to", "to")
		p.first(&o, "channel", place{p.ctx, "channelId"})
		o.Text("type", "message")
	case "session_end":
		p.take(&o, "reason", "reason")
	case "subagent_spawned":
		p.take(&o, "subagent_name", "label")
		p.take(&o, "subagent_type", "agentId")
	case "subagent_ended":
		p.take(&o, "reason", "reason")
		p.take(&o, "outcome", "outcome")
	default:
		o.Raw("payload", p.event)
	}
	o.Close()
	return o
}

func (p *payload) take(o *rawjson.Object, name, key string) { p.first(o, name, place{p.event, key}) }

// A place is where a payload may say a thing.
type place struct {
	obj []byte
	key string
}

// first takes over what the first place that has anything says.
func (p *payload) first(o *rawjson.Object, name string, places ...place) {
	for _, at := range places {
		if val, ok := rawjson.Get(at.obj, at.key); ok && rawjson.Kind(val) != 'n' {
			o.Raw(name, val)
			return
		}
	}
}

func (p *payload) tool(o *rawjson.Object) {
	p.take(o, "tool_name", "toolName")
	p.take(o, "tool_use_id", "toolCallId")
	p.take(o, "tool_input", "params")
}

// result takes over what a tool returned, if anything: its text, or all of it if it
// has none.
func (p *payload) result(o *rawjson.Object, key string) {
	val, _ := rawjson.Get(p.event, key)
	if text, ok := textOf(val); ok {
		o.Raw("tool_response", rawjson.Quote(text))
	} else if len(val) > len("{}") { // a tool that broke has nothing but its error
		o.Raw("tool_response", val)
	}
	failed, _ := rawjson.Get(val, "isError")
	o.Flag("tool_error", string(failed) == "true" || rawjson.GetText(p.event, "error") != "")
}

func (p *payload) llmOutput(o *rawjson.Object) {
	var texts []string
	list, _ := rawjson.Get(p.event, "assistantTexts")
	rawjson.Elements(list, func(_ int, val []byte) bool {
		s, _ := rawjson.Text(val)
		texts = append(texts, s)
		return true
	})
	o.Text("stop_response", strings.Join(texts, "\n"))
	p.take(o, "model_id", "resolvedRef")
	p.take(o, "usage", "usage")
}

// textOf is the text of a message: its content, or the texts in that.
func textOf(msg []byte) (string, bool) {
	content, _ := rawjson.Get(msg, "content")
	if s, ok := rawjson.Text(content); ok {
		return s, true
	}
	var texts []string
	rawjson.Elements(content, func(_ int, part []byte) bool {
		if rawjson.GetText(part, "type") == "text" {
			texts = append(texts, rawjson.GetText(part, "text"))
		}
		return true
	})
	return strings.Join(texts, "\n"), len(texts) > 0
}
