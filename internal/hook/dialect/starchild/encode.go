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

// vocabulary lists starchild's names for tools. Arguments have checkrein's names.
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

// encode returns the payload for ev as starchild documents it: the four members that every payload
// has, then those of the event. The subject of the event is always present. Anything else that the
// host did not report is left out, so that hooks do not act on an invented "no tool was called". If
// the host's own names differ, they are in "native". An event without a starchild name keeps
// checkrein's name and has everything that is known about it.
func encode(ev checkrein.Event) ([]byte, error) {
	local, host, err := vocabulary.Translate(ev)
	if err != nil {
		return nil, err
	}
	event := ownEventName(ev.Kind)
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

// putDetail writes, as key, the first of the details names that the host reported. It writes nothing
// if there is none.
func (p *encoder) putDetail(key string, names ...string) {
	for _, n := range names {
		if v := p.ev.Detail(n); v != nil {
			p.put(key, v)
			return
		}
	}
}

// putTool writes the tool call of the event: its arguments, which hooks that keep records need even
// after the call, and its output. A transform gets only the output, so that a matcher for results does
// not match arguments.
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

// putResult writes the tool's output as a string, because starchild's tools return strings and its
// hooks search them. Hooks would fail on an object, and thereby let it pass.
func (p *encoder) putResult(out json.RawMessage) {
	if p.err = rawjson.Check(out); p.err != nil {
		return
	}
	p.putText("tool_result", toolnames.OutputText(out))
	if rawjson.Kind(out) != '"' {
		p.native = payload.AppendRaw(p.native, "tool_result", out)
	}
}

// putMembers writes the members of the event's payload other than the tool call.
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
		p.putTokenUsage()
		p.putDetail("turn_cost_usd", "turn_cost_usd", "cost") // hooks show it in footers
		p.putToolNames()
	case checkrein.Stop:
		p.putText("response", ev.Text)
		p.putToolNames()
		p.putDetail("stop_hook_active", "stop_hook_active")
	case checkrein.OnOutboundMessage:
		p.putText("notification", ev.Text)
		p.putDetail("type", "type")
		p.putDetail("channel", "channel") // the destination of the message; starchild does not document it
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

// putChannel writes the channel from which the user's message came, or the host if it reports none.
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

// putConversation writes, as key, a text of the conversation that is about to be sent: the user's last
// message if byUser is set, otherwise the system prompt. It uses the host's own value if there is one,
// otherwise the messages.
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
	if len(texts) > 0 || p.ev.Messages != nil { // if all messages are known, an empty text is correct
		p.putText(key, strings.Join(texts, "\n"))
	}
}

// messageText returns the text of the message m: its content, or the texts of its parts, or "".
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

// putTokenUsage writes the tokens of the turn as the host reports them, or its usage under
// starchild's names.
func (p *encoder) putTokenUsage() {
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

// putToolNames writes the names of the tools that were called in the turn, with starchild's names.
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
