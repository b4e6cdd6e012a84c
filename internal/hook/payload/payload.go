// Package payload encodes and decodes the payload that describes an event. Its names are checkrein's
// own, which are the same as docker-agent's where that has one.
package payload

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Append appends the payload for ev to b. Empty fields are left out, except for the three that every
// payload has. If more is not nil, it is called before the closing brace to append further members.
func Append(b []byte, ev *checkrein.Event, more func([]byte) []byte) []byte {
	b = append(b, '{')
	b = appendMember(b, "session_id", ev.Session.ID)
	b = appendMember(b, "cwd", ev.Session.Dir)
	b = appendMember(b, "hook_event_name", EventName(ev))
	b = AppendText(b, "agent_name", ev.Session.ActiveAgent())
	if ev.Session.AgentName != "" {
		b = AppendText(b, "agent_id", ev.Session.Agent)
	}
	if ev.Tool != nil {
		b = appendTool(b, ev.Tool)
	}
	row := checkrein.ContractOf(ev.Kind)
	if row.Text != "" {
		b = AppendText(b, row.Text, ev.Text)
	}
	if ev.Messages != nil {
		b = AppendRaw(b, "messages", ev.Messages)
	}
	for _, d := range ev.Details {
		b = AppendRaw(b, d.Name, d.Value)
	}
	if more != nil {
		b = more(b)
	}
	return append(b, '}')
}

// MakePortable returns the payload body in [rawjson.PortableEscapes] form, in which programs get it, so that
// it is still valid JSON after a shell's echo. It returns an error if body is not a JSON object.
func MakePortable(body []byte) ([]byte, error) {
	if err := rawjson.CheckObject(body); err != nil {
		return body, err
	}
	return rawjson.PortableEscapes(body), nil
}

// EventName returns the name that payloads have for ev.
func EventName(ev *checkrein.Event) string {
	if ev.Kind == checkrein.Other && ev.Native != "" {
		return ev.Native
	}
	return ev.Kind.String()
}

func appendTool(b []byte, t *checkrein.Tool) []byte {
	b = AppendText(b, "tool_name", t.Name)
	b = AppendText(b, "tool_use_id", t.CallID)
	if t.Input != nil {
		b = AppendRaw(b, "tool_input", t.Input)
	}
	b = AppendText(b, "tool_category", t.Category)
	if t.Output != nil {
		b = AppendRaw(b, "tool_response", t.Output)
	}
	if t.Failed {
		b = AppendRaw(b, "tool_error", []byte("true"))
	}
	return b
}

// AppendText appends a string member unless value is empty.
func AppendText(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return appendMember(b, name, value)
}

func appendMember(b []byte, name, value string) []byte {
	return rawjson.AppendString(rawjson.AppendKey(b, name), value)
}

// AppendRaw appends a member whose value is JSON.
func AppendRaw(b []byte, name string, value []byte) []byte {
	return rawjson.AppendMember(b, name, value)
}
