package hookmd

import (
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect/toolnames"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode writes the event with the format's names for the event, the tool and
// its members, and the host's names of the tool under "native" where they
// differ. Members that the format does not know follow those that it does.
func encode(ev checkrein.Event) ([]byte, error) {
	ev, host, err := vocabulary.Translate(ev)
	if err != nil {
		return nil, err
	}
	b := base([]byte{'{'}, &ev)
	if ev.Tool != nil {
		b = tool(b, ev.Tool)
	}
	if field := textField(&ev); field != "" {
		b = payload.Text(b, field, ev.Text)
	}
	if ev.Messages != nil {
		b = payload.Raw(b, "messages", ev.Messages)
	}
	for _, d := range ev.Details {
		switch {
		case d.Name == "stop_reason" && ev.Kind == checkrein.Stop:
			b = always(b, d.Name, stopReason(&ev))
		case !written(&ev, d.Name):
			b = payload.Raw(b, d.Name, d.Value)
		}
	}
	b = derived(b, &ev)
	if native := toolnames.Native(&ev, eventName(&ev), host); native != nil {
		b = payload.Raw(b, "native", native)
	}
	if b, err = payload.Finish(append(b, '}')); err != nil {
		return b, err
	}
	return spaced(rawjson.PortableQuotes(b)), nil
}

// spaced writes JSON as the system of these hooks does, on one line with a blank
// behind each colon and comma: scripts that its document shows search the text for
// it. No quote is in its strings.
func spaced(b []byte) []byte {
	out := make([]byte, 0, len(b)+len(b)/16)
	quoted := false
	for _, c := range b {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ' ', c == '\t', c == '\n', c == '\r':
			continue
		case c == ':', c == ',':
			out = append(out, c, ' ')
			continue
		}
		out = append(out, c)
	}
	return out
}

// base writes what every payload has. The event is called by its first name:
// the specification's payloads and the scripts written after it use that.
func base(b []byte, ev *checkrein.Event) []byte {
	b = always(b, "event_type", eventName(ev))
	b = always(b, "timestamp", timestamp(ev))
	b = always(b, "session_id", ev.Session.ID)
	b = always(b, "work_dir", ev.Session.Dir)
	context := ev.Detail("context")
	if rawjson.Kind(context) != '{' {
		context = json.RawMessage("{}")
	}
	b = payload.Raw(b, "context", context)
	return payload.Text(b, "agent_name", ev.Session.ActiveAgent())
}

// eventName is the format's name for an event, else checkrein's or the host's.
func eventName(ev *checkrein.Event) string {
	if event, _ := triggersOf(ev.Kind); event != "" {
		return event
	}
	return payload.EventName(ev)
}

// always appends a text member, also an empty one.
func always(b []byte, name, value string) []byte {
	return payload.Raw(b, name, rawjson.Quote(value))
}

// timestamp is when the event happened, if the host says so in the format's own
// way; else it is now.
func timestamp(ev *checkrein.Event) string {
	if said, ok := rawjson.Text(ev.Detail("timestamp")); ok {
		if _, err := time.Parse(time.RFC3339, said); err == nil {
			return said
		}
	}
	return time.Now().UTC().Format(time.RFC3339)
}

func tool(b []byte, t *checkrein.Tool) []byte {
	b = always(b, "tool_name", t.Name)
	if t.Input != nil { // arguments that are no object are not shown as none
		b = payload.Raw(b, "tool_input", t.Input)
	}
	b = always(b, "tool_use_id", t.CallID)
	if t.Output != nil {
		b = payload.Raw(b, "tool_response", t.Output)
	}
	if t.Failed {
		b = payload.Raw(b, "tool_error", []byte("true"))
	}
	return b
}

// textField is the member that holds the event's text. A stop has it in its
// final message.
func textField(ev *checkrein.Event) string {
	switch field := checkrein.ContractOf(ev.Kind).Text; {
	case ev.Kind == checkrein.Stop:
		return ""
	case field == "stop_response":
		return "response"
	default:
		return field
	}
}

// written reports whether a payload has a member that is not from the details.
func written(ev *checkrein.Event, name string) bool {
	switch name {
	case "event_type", "timestamp", "session_id", "work_dir", "context", "native":
		return true
	case "tool_name", "tool_input", "tool_use_id", "tool_response", "tool_error":
		return ev.Tool != nil
	case "agent_name":
		return ev.Session.ActiveAgent() != ""
	case "messages":
		return ev.Messages != nil
	}
	return name == textField(ev) && ev.Text != ""
}

// derived writes members of the format that hosts tell under other names.
func derived(b []byte, ev *checkrein.Event) []byte {
	from := func(name, other string) {
		if v := ev.Detail(other); v != nil && ev.Detail(name) == nil {
			b = payload.Raw(b, name, v)
		}
	}
	switch ev.Kind {
	case checkrein.SessionEnd:
		if said, _ := rawjson.Text(ev.Detail("reason")); said == "prompt_input_exit" && ev.Detail("exit_reason") == nil {
			b = payload.Raw(b, "exit_reason", []byte(`"user_exit"`)) // the document's own word
			break
		}
		from("exit_reason", "reason")
	case checkrein.SubagentStart, checkrein.SubagentStop:
		from("subagent_name", "subagent_type")
	case checkrein.SessionStart:
		if ev.Detail("args") == nil && ev.Host != "" {
			b = payload.Raw(b, "args", startedBy(ev))
		}
	case checkrein.Stop:
		if ev.Detail("stop_reason") == nil {
			b = always(b, "stop_reason", stopReason(ev))
		}
		if ev.Detail("final_message") == nil {
			b = payload.Raw(b, "final_message", finalMessage(ev.Text))
		}
	}
	return b
}

// startedBy is how a host was started, as far as it is known: through which program,
// and with which agent.
func startedBy(ev *checkrein.Event) []byte {
	args := payload.Raw([]byte{'{'}, "ui", rawjson.Quote(ev.Host))
	return append(payload.Text(args, "agent", ev.Session.ActiveAgent()), '}')
}

// stopReason is why the agent stops, in the format's words: a host that has others, or
// none, tells of a model that is done.
func stopReason(ev *checkrein.Event) string {
	switch said, _ := rawjson.Text(ev.Detail("stop_reason")); said {
	case "tool_rejected", "max_steps":
		return said
	}
	return "no_tool_calls"
}

// finalMessage is a reply in the form of the format: null when there is none.
func finalMessage(text string) []byte {
	if text == "" {
		return []byte("null")
	}
	return append(append([]byte(`{"role":"assistant","content":`), rawjson.Quote(text)...), '}')
}
