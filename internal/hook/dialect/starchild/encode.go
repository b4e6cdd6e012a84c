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

// vocabulary has starchild's names of tools. Its arguments have checkrein's names.
var vocabulary = toolnames.Table{
	{Canonical: "shell", Name: "bash"},
	{Canonical: "read", Name: "read_file"},
	{Canonical: "write", Name: "write_file"},
	{Canonical: "edit", Name: "edit_file"},
}

// These are functions, because method values would be created at program start.

func localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	return vocabulary.Localize(ev, patch)
}

func toolName(canonical string) string { return vocabulary.ToolName(canonical) }

// encode returns the payload for the event as starchild documents it: the four members of every
// payload, then those of the event. The subject of an event is always present; what the host did not
// report is left out, because hooks would act on an invented "no tool was called". The host's own
// names are under "native" if they differ. An event that starchild has no name for keeps checkrein's,
// with all that is known about it.
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
		p.native = payload.AppendRaw(p.native, "hook_event_name", rawjson.Quote(ev.Native))
	}
	if host != nil {
		p.native = payload.AppendRaw(p.native, "tool_name", rawjson.Quote(host.Name))
	}
	p.putText("event", event)
	p.putText("session_id", ev.Session.ID)
	p.putText("agent_id", ev.Session.Agent)
	p.putText("cwd", ev.Session.Dir)
	if p.putTool(host); p.err != nil {
		return nil, p.err
	}
	p.putMembers()
	if len(p.native) > 1 {
		p.put("native", append(p.native, '}'))
	}
	p.body = append(p.body, '}')
	return payload.MakePortable(p.body)
}

// An encoder writes a payload.
type encoder struct {
	ev     *checkrein.Event
	body   []byte
	native []byte // the host's names so far
	err    error
}

func (p *encoder) put(key string, val []byte) { p.body = payload.AppendRaw(p.body, key, val) }

func (p *encoder) putText(key, val string) { p.put(key, rawjson.Quote(val)) }

// putDetail writes the first of the named details that the host reported.
func (p *encoder) putDetail(key string, names ...string) {
	for _, n := range names {
		if v := p.ev.Detail(n); v != nil {
			p.put(key, v)
			return
		}
	}
}

// putTool writes the tool of an event: its arguments, which hooks that keep records need afterwards
// too, and its output. A transform gets only the output, so that a matcher for results does not match
// arguments.
func (p *encoder) putTool(host *checkrein.Tool) {
	t := p.ev.Tool
	if t == nil {
		return
	}
	p.putText("tool_name", t.Name)
	if t.Input != nil && p.ev.Kind != checkrein.ToolResponseTransform {
		p.put("tool_input", t.Input)
		if host != nil {
			p.native = payload.AppendRaw(p.native, "tool_input", host.Input)
		}
	}
	if t.Output != nil {
		p.putResult(t.Output)
	}
	if t.Failed {
		p.put("tool_error", []byte("true"))
	}
}

// putResult writes a tool's output as a text, which is what starchild's tools return and its hooks
// search: hooks would fail on an object, and so let it pass.
func (p *encoder) putResult(out json.RawMessage) {
	if p.err = rawjson.Check(out); p.err != nil {
		return
	}
	p.putText("tool_result", toolnames.OutputText(out))
	if rawjson.Kind(out) != '"' {
		p.native = payload.AppendRaw(p.native, "tool_result", out)
	}
}

// putMembers writes the members of the event other than the tool.
func (p *encoder) putMembers() {
	ev := p.ev
	switch ev.Kind {
	case checkrein.PreToolUse, checkrein.PostToolUse, checkrein.ToolResponseTransform:
	case checkrein.UserPromptSubmit:
		p.putText("message", ev.Text)
		p.putChannel()
	case checkrein.BeforeLLMCall:
		p.putConversation("system", false)
		p.putConversation("last_user_message", true)
		p.putDetail("model", "model_id", "model")
	case checkrein.AfterLLMCall:
		p.putDetail("model", "model_id", "model")
	case checkrein.OnResponseEnd:
		p.putText("response", ev.Text)
		p.putDetail("model", "model_id", "model")
		p.putTokens()
		p.putDetail("turn_cost_usd", "turn_cost_usd", "cost") // hooks show it in footers
		p.putToolNames()
	case checkrein.Stop:
		p.putText("response", ev.Text)
		p.putToolNames()
		p.putDetail("stop_hook_active", "stop_hook_active")
	case checkrein.OnOutboundMessage:
		p.putText("notification", ev.Text)
		p.putDetail("type", "type")
		p.putDetail("channel", "channel") // the destination of the message, not in starchild's document
	case checkrein.OnCompletionClaim:
		p.putDetail("goal", "goal")
		p.putDetail("summary", "summary")
		p.putText("response", ev.Text)
		p.putToolNames()
	case checkrein.SessionStart:
		p.putDetail("status", "status", "source")
	case checkrein.SessionEnd:
		p.putDetail("status", "status", "reason", "exit_reason")
	default:
		p.putAll()
	}
}

// putChannel writes where a person's message came from: the host, unless it reports a channel.
func (p *encoder) putChannel() {
	if p.ev.Detail("channel") == nil && p.ev.Host != "" {
		p.putText("channel", p.ev.Host)
		return
	}
	p.putDetail("channel", "channel")
}

// putAll writes everything that is known about an event without a starchild name.
func (p *encoder) putAll() {
	if field := checkrein.ContractOf(p.ev.Kind).Text; field != "" {
		p.putText(field, p.ev.Text)
	}
	if p.ev.Messages != nil {
		p.put("messages", p.ev.Messages)
	}
	for _, d := range p.ev.Details {
		if !slices.Contains([]string{"event", "session_id", "agent_id", "cwd", "native", "messages"}, d.Name) {
			p.put(d.Name, d.Value)
		}
	}
}

// putConversation writes a text of the conversation about to be sent: as the host reports it, or else
// from the messages.
func (p *encoder) putConversation(key string, byUser bool) {
	if v := p.ev.Detail(key); v != nil {
		p.put(key, v)
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
	if len(texts) > 0 || p.ev.Messages != nil { // with all messages at hand, an empty text is true
		p.putText(key, strings.Join(texts, "\n"))
	}
}

// messageText returns the text of a message: its content, or the texts of its parts.
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

// putTokens writes the turn's tokens: as the host reports them, or else its usage under starchild's
// names.
func (p *encoder) putTokens() {
	usage := p.ev.Detail("usage")
	if p.ev.Detail("tokens") != nil || rawjson.Kind(usage) != '{' {
		p.putDetail("tokens", "tokens")
		return
	}
	out := []byte{'{'}
	for _, k := range [...][2]string{{"input_tokens", "input"}, {"output_tokens", "output"}, {"cached_input_tokens", "cache_read"}, {"cached_write_tokens", "cache_creation"}} {
		if v, ok := rawjson.Get(usage, k[0]); ok {
			out = payload.AppendRaw(out, k[1], v)
		}
	}
	p.put("tokens", append(out, '}'))
}

// putToolNames writes which tools the turn called, by starchild's names.
func (p *encoder) putToolNames() {
	told := p.ev.Detail("tool_names")
	if rawjson.Kind(told) != '[' {
		p.putDetail("tool_names", "tool_names")
		return
	}
	own, differs := []byte{'['}, false
	rawjson.Elements(told, func(i int, v []byte) bool {
		if i > 0 {
			own = append(own, ',')
		}
		host, _ := rawjson.Text(v)
		if word := toolName(tools.CanonicalTool(host)); word != "" && word != host {
			v, differs = rawjson.Quote(word), true
		}
		own = append(own, v...)
		return true
	})
	if p.put("tool_names", append(own, ']')); differs {
		p.native = payload.AppendRaw(p.native, "tool_names", told)
	}
}
