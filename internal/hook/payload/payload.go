// Package payload writes and reads the payload that describes an event in
// checkrein's own words, which are docker-agent's where it has one.
package payload

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Append appends the payload of ev to b. Fields that are empty are left out,
// except for the three that every payload has. More, if not nil, is called
// before the closing brace and appends further members.
func Append(b []byte, ev *checkrein.Event, more func([]byte) []byte) []byte {
	b = append(b, '{')
	b = member(b, "session_id", ev.Session.ID)
	b = member(b, "cwd", ev.Session.Dir)
	b = member(b, "hook_event_name", EventName(ev))
	b = Text(b, "agent_name", ev.Session.ActiveAgent())
	if ev.Session.AgentName != "" {
		b = Text(b, "agent_id", ev.Session.Agent)
	}
	if ev.Tool != nil {
		b = tool(b, ev.Tool)
	}
	row := checkrein.ContractOf(ev.Kind)
	if row.Text != "" {
		b = Text(b, row.Text, ev.Text)
	}
	if ev.Messages != nil {
		b = Raw(b, "messages", ev.Messages)
	}
	for _, d := range ev.Details {
		b = Raw(b, d.Name, d.Value)
	}
	if more != nil {
		b = more(b)
	}
	return append(b, '}')
}

// Finish returns a payload as programs get it, in [rawjson.Portable] form, so that
// what a shell's echo prints of it is still JSON. What a caller put together may be
// anything, so it is checked.
func Finish(body []byte) ([]byte, error) {
	if err := rawjson.CheckObject(body); err != nil {
		return body, err
	}
	return rawjson.Portable(body), nil
}

// EventName is the name under which hooks hear of ev.
func EventName(ev *checkrein.Event) string {
	if ev.Kind == checkrein.Other && ev.Native != "" {
		return ev.Native
	}
	return ev.Kind.String()
}

func tool(b []byte, t *checkrein.Tool) []byte {
	b = Text(b, "tool_name", t.Name)
	b = Text(b, "tool_use_id", t.CallID)
	if t.Input != nil {
		b = Raw(b, "tool_input", t.Input)
	}
	b = Text(b, "tool_category", t.Category)
	if t.Output != nil {
		b = Raw(b, "tool_response", t.Output)
	}
	if t.Failed {
		b = Raw(b, "tool_error", []byte("true"))
	}
	return b
}

// Text appends a text member unless it is empty.
func Text(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return member(b, name, value)
}

func member(b []byte, name, value string) []byte {
	return rawjson.AppendString(rawjson.AppendKey(b, name), value)
}

// Raw appends a member with a value that is JSON already.
func Raw(b []byte, name string, value []byte) []byte {
	return rawjson.AppendMember(b, name, value)
}
