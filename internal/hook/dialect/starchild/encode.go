package starchild

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/dialect/toolnames"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// vocabulary is starchild's. Its arguments have checkrein's names.
var vocabulary = toolnames.Table{
	{Canonical: "shell", Name: "bash"},
	{Canonical: "read", Name: "read_file"},
	{Canonical: "write", Name: "write_file"},
	{Canonical: "edit", Name: "edit_file"},
}

// Functions, not method values: those would be made at start.

func localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	return vocabulary.Localize(ev, patch)
}

func toolName(canonical string) string { return vocabulary.ToolName(canonical) }

// encode writes the event as starchild's document lists it: the four members of
// every payload, then those of the event. What an event is about is always
// there; what the host did not tell is left out, because a made-up "no tool was
// called" would be a lie that hooks act on. The host's own names are under
// "native" where they differ. An event that starchild has no name for keeps
// checkrein's, with all that is known of it.
func encode(ev checkrein.Event) ([]byte, error) {
	local, host, err := vocabulary.Translate(ev)
	if err != nil {
		return nil, err
	}
	event := eventName(ev.Kind)
	if event == "" {
		event = payload.EventName(&ev)
	}
	p := encoder{ev: &local, body: []byte{'{'}, native: []byte{'{'}}
	if ev.Native != "" && ev.Native != event {
		p.native = payload.Raw(p.native, "hook_event_name", rawjson.Quote(ev.Native))
	}
	if host != nil {
		p.native = payload.Raw(p.native, "tool_name", rawjson.Quote(host.Name))
	}
	p.text("event", event)
	p.text("session_id", ev.Session.ID)
	p.text("agent_id", ev.Session.Agent)
	p.text("cwd", ev.Session.Dir)
	if p.tool(host); p.err != nil {
		return nil, p.err
	}
	p.members()
	if len(p.native) > 1 {
		p.raw("native", append(p.native, '}'))
	}
	p.body = append(p.body, '}')
	return payload.Finish(p.body)
}

// An encoder writes a payload.
type encoder struct {
	ev     *checkrein.Event
	body   []byte
	native []byte // the host's words for it, so far
	err    error
}

func (p *encoder) raw(key string, val []byte) { p.body = payload.Raw(p.body, key, val) }

func (p *encoder) text(key, val string) { p.raw(key, rawjson.Quote(val)) }

// detail writes the first of the details that the host told.
func (p *encoder) detail(key string, names ...string) {
	for _, n := range names {
		if v := p.ev.Detail(n); v != nil {
			p.raw(key, v)
			return
		}
	}
}

// tool writes the tool of an event: its arguments, which those who keep a record
// want afterwards, too, and what it returned. A transform gets only that, so that a
// matcher on results is not met by arguments.
func (p *encoder) tool(host *checkrein.Tool) {
	t := p.ev.Tool
	if t == nil {
		return
	}
	p.text("tool_name", t.Name)
	if t.Input != nil && p.ev.Kind != checkrein.ToolResponseTransform {
		p.raw("tool_input", t.Input)
		if host != nil {
			p.native = payload.Raw(p.native, "tool_input", host.Input)
		}
	}
	if t.Output != nil {
		p.result(t.Output)
	}
	if t.Failed {
		p.raw("tool_error", []byte("true"))
	}
}

// result writes what a tool returned as a text, which is what starchild's tools
// return and its hooks search: an object would make them fail, and so pass.
func (p *encoder) result(out json.RawMessage) {
	if p.err = rawjson.Check(out); p.err != nil {
		return
	}
	p.text("tool_result", toolnames.OutputText(out))
	if rawjson.Kind(out) != '"' {
		p.native = payload.Raw(p.native, "tool_result", out)
	}
}

// members writes what belongs to the event, the tool aside.
func (p *encoder) members() {
	ev := p.ev
	switch ev.Kind {
	case checkrein.PreToolUse, checkrein.PostToolUse, checkrein.ToolResponseTransform:
	case checkrein.UserPromptSubmit:
		p.text("message", ev.Text)
		p.channel()
	case checkrein.BeforeLLMCall:
		p.said("system", false)
		p.said("last_user_message", true)
		p.detail("model", "model_id", "model")
	case checkrein.AfterLLMCall:
		p.detail("model", "model_id", "model")
	case checkrein.OnResponseEnd:
		p.text("response", ev.Text)
		p.detail("model", "model_id", "model")
		p.tokens()
		p.detail("turn_cost_usd", "turn_cost_usd", "cost") // which footers are made of
		p.toolNames()
	case checkrein.Stop:
		p.text("response", ev.Text)
		p.toolNames()
		p.detail("stop_hook_active", "stop_hook_active")
	case checkrein.OnOutboundMessage:
		p.text("notification", ev.Text)
		p.detail("type", "type")
		p.detail("channel", "channel") // beyond the document: where the message goes
	case checkrein.OnCompletionClaim:
		p.detail("goal", "goal")
		p.detail("summary", "summary")
		p.text("response", ev.Text)
		p.toolNames()
	case checkrein.SessionStart:
		p.detail("status", "status", "source")
	case checkrein.SessionEnd:
		p.detail("status", "status", "reason", "exit_reason")
	default:
		p.rest()
	}
}

// channel writes where a person's message came from: the host, if it does not say more.
func (p *encoder) channel() {
	if p.ev.Detail("channel") == nil && p.ev.Host != "" {
		p.text("channel", p.ev.Host)
		return
	}
	p.detail("channel", "channel")
}

// rest writes everything that is known of an event without a starchild name.
func (p *encoder) rest() {
	if field := checkrein.ContractOf(p.ev.Kind).Text; field != "" {
		p.text(field, p.ev.Text)
	}
	if p.ev.Messages != nil {
		p.raw("messages", p.ev.Messages)
	}
	for _, d := range p.ev.Details {
		if !slices.Contains([]string{"event", "session_id", "agent_id", "cwd", "native", "messages"}, d.Name) {
			p.raw(d.Name, d.Value)
		}
	}
}

// said writes a text of the conversation about to be sent: as the host tells
// it, or else from the messages.
func (p *encoder) said(key string, byUser bool) {
	if v := p.ev.Detail(key); v != nil {
		p.raw(key, v)
		return
	}
	var texts []string
	rawjson.Elements(p.ev.Messages, func(_ int, m []byte) bool {
		role, _ := rawjson.Get(m, "role")
		who, _ := rawjson.Text(role)
		if s := messageText(m); s != "" && (byUser && who == "user" || !byUser && who == "system") {
			texts = append(texts, s)
		}
		return true
	})
	if byUser && len(texts) > 0 {
		texts = texts[len(texts)-1:]
	}
	if len(texts) > 0 || p.ev.Messages != nil { // who sees all of it knows that there is none
		p.text(key, strings.Join(texts, "\n"))
	}
}

// messageText is what a message says: its content, or the texts of its parts.
func messageText(m []byte) string {
	for _, key := range [...]string{"content", "multi_content"} {
		content, _ := rawjson.Get(m, key)
		if s, ok := rawjson.Text(content); ok && s != "" {
			return s
		}
		var parts []string
		rawjson.Elements(content, func(_ int, part []byte) bool {
			v, _ := rawjson.Get(part, "text")
			if s, ok := rawjson.Text(v); ok && s != "" {
				parts = append(parts, s)
			}
			return true
		})
		if len(parts) > 0 {
			return strings.Join(parts, "\n")
		}
	}
	return ""
}

// tokens writes the turn's tokens: as the host tells them, or else its usage in
// starchild's words.
func (p *encoder) tokens() {
	usage := p.ev.Detail("usage")
	if p.ev.Detail("tokens") != nil || rawjson.Kind(usage) != '{' {
		p.detail("tokens", "tokens")
		return
	}
	out := []byte{'{'}
	for _, k := range [...][2]string{{"input_tokens", "input"}, {"output_tokens", "output"}, {"cached_input_tokens", "cache_read"}, {"cached_write_tokens", "cache_creation"}} {
		if v, ok := rawjson.Get(usage, k[0]); ok {
			out = payload.Raw(out, k[1], v)
		}
	}
	p.raw("tokens", append(out, '}'))
}

// toolNames writes which tools the turn called, in starchild's words.
func (p *encoder) toolNames() {
	told := p.ev.Detail("tool_names")
	if rawjson.Kind(told) != '[' {
		p.detail("tool_names", "tool_names")
		return
	}
	own, differs := []byte{'['}, false
	rawjson.Elements(told, func(i int, v []byte) bool {
		if i > 0 {
			own = append(own, ',')
		}
		host, _ := rawjson.Text(v)
		if word := toolName(tools.Canonical(host)); word != "" && word != host {
			v, differs = rawjson.Quote(word), true
		}
		own = append(own, v...)
		return true
	})
	if p.raw("tool_names", append(own, ']')); differs {
		p.native = payload.Raw(p.native, "tool_names", told)
	}
}
