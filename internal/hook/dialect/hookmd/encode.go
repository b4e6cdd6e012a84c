package hookmd

import (
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect/toolnames"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encode returns the payload for ev with the format's names for the event, the tool and the members.
// If the host's names for the tool differ, the payload contains them in "native". Members that the
// format does not define come last.
func encode(ev checkrein.Event) ([]byte, error) {
	ev, host, err := vocabulary.Translate(ev)
	if err != nil {
		return nil, err
	}
	b := appendBase([]byte{'{'}, &ev)
	if ev.Tool != nil {
		b = appendTool(b, ev.Tool)
	}
	if field := textField(&ev); field != "" {
		b = payload.AppendText(b, field, ev.Text)
	}
	if ev.Messages != nil {
		b = payload.AppendRaw(b, "messages", ev.Messages)
	}
	for _, d := range ev.Details {
		switch {
		case d.Name == "stop_reason" && ev.Kind == checkrein.Stop:
			b = appendText(b, d.Name, stopReason(&ev))
		case !isPayloadMember(&ev, d.Name):
			b = payload.AppendRaw(b, d.Name, d.Value)
		}
	}
	b = appendRenamedDetails(b, &ev)
	if native := toolnames.NativeNames(&ev, eventName(&ev), host); native != nil {
		b = payload.AppendRaw(b, "native", native)
	}
	if b, err = payload.MakePortable(append(b, '}')); err != nil {
		return b, err
	}
	return addSpaces(rawjson.PortableEscapesWithoutQuotes(b)), nil
}

// addSpaces returns the JSON text b on one line with a space after each colon and comma. The reference
// implementation writes it that way, and scripts in its documentation search for such text. The
// strings in b must not contain escaped quotes.
func addSpaces(b []byte) []byte {
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

// appendBase appends the members that every payload has. It uses the first name of the event, as the
// payloads in the specification do and scripts written for it expect.
func appendBase(b []byte, ev *checkrein.Event) []byte {
	b = appendText(b, "event_type", eventName(ev))
	b = appendText(b, "timestamp", timestamp(ev))
	b = appendText(b, "session_id", ev.Session.ID)
	b = appendText(b, "work_dir", ev.Session.Dir)
	context := ev.Detail("context")
	if rawjson.Kind(context) != '{' {
		context = json.RawMessage("{}")
	}
	b = payload.AppendRaw(b, "context", context)
	return payload.AppendText(b, "agent_name", ev.Session.ActiveAgent())
}

// eventName returns the format's name for ev, or checkrein's or the host's name if it has none.
func eventName(ev *checkrein.Event) string {
	if event, _ := triggerNames(ev.Kind); event != "" {
		return event
	}
	return payload.EventName(ev)
}

// appendText appends a string member, even if value is empty.
func appendText(b []byte, name, value string) []byte {
	return payload.AppendRaw(b, name, rawjson.Quote(value))
}

// timestamp returns the time that the host reports for ev if it is in RFC 3339 format, as the
// specification requires, otherwise the current time.
func timestamp(ev *checkrein.Event) string {
	if said, ok := rawjson.Text(ev.Detail("timestamp")); ok {
		if _, err := time.Parse(time.RFC3339, said); err == nil {
			return said
		}
	}
	return time.Now().UTC().Format(time.RFC3339)
}

func appendTool(b []byte, t *checkrein.Tool) []byte {
	b = appendText(b, "tool_name", t.Name)
	if t.Input != nil { // even if the arguments are not an object
		b = payload.AppendRaw(b, "tool_input", t.Input)
	}
	b = appendText(b, "tool_use_id", t.CallID)
	if t.Output != nil {
		b = payload.AppendRaw(b, "tool_response", t.Output)
	}
	if t.Failed {
		b = payload.AppendRaw(b, "tool_error", []byte("true"))
	}
	return b
}

// textField returns the name of the payload member for the text of ev, or "". A stop has it in
// final_message instead.
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

// isPayloadMember reports whether encode writes the member name from something other than the event's
// details.
func isPayloadMember(ev *checkrein.Event, name string) bool {
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

// appendRenamedDetails appends members of the format that hosts report under other names.
func appendRenamedDetails(b []byte, ev *checkrein.Event) []byte {
	from := func(name, other string) {
		if v := ev.Detail(other); v != nil && ev.Detail(name) == nil {
			b = payload.AppendRaw(b, name, v)
		}
	}
	switch ev.Kind {
	case checkrein.SessionEnd:
		if said, _ := rawjson.Text(ev.Detail("reason")); said == "prompt_input_exit" && ev.Detail("exit_reason") == nil {
			b = payload.AppendRaw(b, "exit_reason", []byte(`"user_exit"`)) // the value in the specification
			break
		}
		from("exit_reason", "reason")
	case checkrein.SubagentStart, checkrein.SubagentStop:
		from("subagent_name", "subagent_type")
	case checkrein.SessionStart:
		if ev.Detail("args") == nil && ev.Host != "" {
			b = payload.AppendRaw(b, "args", startArgs(ev))
		}
	case checkrein.Stop:
		if ev.Detail("stop_reason") == nil {
			b = appendText(b, "stop_reason", stopReason(ev))
		}
		if ev.Detail("final_message") == nil {
			b = payload.AppendRaw(b, "final_message", finalMessage(ev.Text))
		}
	}
	return b
}

// startArgs returns, as a JSON object, which host was started and with which agent.
func startArgs(ev *checkrein.Event) []byte {
	args := payload.AppendRaw([]byte{'{'}, "ui", rawjson.Quote(ev.Host))
	return append(payload.AppendText(args, "agent", ev.Session.ActiveAgent()), '}')
}

// stopReason returns why the agent stops, in the format's terms. If the host reports no reason or one
// that the format lacks, the result is "no_tool_calls".
func stopReason(ev *checkrein.Event) string {
	switch said, _ := rawjson.Text(ev.Detail("stop_reason")); said {
	case "tool_rejected", "max_steps":
		return said
	}
	return "no_tool_calls"
}

// finalMessage returns the reply text as a message in the format's form, or null if it is empty.
func finalMessage(text string) []byte {
	if text == "" {
		return []byte("null")
	}
	return append(append([]byte(`{"role":"assistant","content":`), rawjson.Quote(text)...), '}')
}
