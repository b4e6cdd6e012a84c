package payload

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// ErrNoEvent is the error if a payload does not name its event.
var ErrNoEvent = errors.New("the payload does not name its event: hook_event_name is missing")

// A Payload is a host's payload, checked and normalised. Several events may be read from one.
type Payload struct {
	raw  []byte
	body []byte // without duplicate keys, on one line
	err  error
}

// Parse checks a payload, once for all events that are read from it.
func Parse(body []byte) Payload {
	p := Payload{raw: body}
	if err := rawjson.CheckObject(body); err != nil {
		p.err = fmt.Errorf("the payload is not one JSON object: %w", err)
		return p
	}
	p.body = rawjson.Dedup(bytes.TrimSpace(body))
	if bytes.IndexByte(p.body, '\n') >= 0 { // hooks get one line, which contains parts of the body as they are
		p.body = rawjson.Compact(nil, p.body)
	}
	return p
}

// Read returns the one event of a payload.
func Read(body []byte, name string) (checkrein.Event, error) {
	p := Parse(body)
	return p.Event(name)
}

// Event returns an event. Its name and its fields may be any system's; members without a meaning here
// are kept in Details. Name, unless empty, overrides the payload's event name. Even with an error the
// event has its kind, if that is known.
func (p *Payload) Event(name string) (checkrein.Event, error) {
	ev := checkrein.Event{Raw: p.raw}
	if name != "" {
		ev.Kind, ev.Native = kindOf(name)
	}
	if p.err != nil {
		return ev, p.err
	}
	body := p.body
	if name == "" {
		said, ok := fieldText(body, "hook_event_name")
		if !ok || said == "" {
			return ev, ErrNoEvent
		}
		ev.Kind, ev.Native = kindOf(said)
	}
	r := eventReader{ev: &ev, row: checkrein.ContractOf(ev.Kind), body: body}
	if r.row.Subject == checkrein.SubjectTool {
		ev.Tool = &checkrein.Tool{}
	}
	rawjson.Each(body, func(key string, val []byte) bool {
		if rawjson.Kind(val) != 'n' {
			r.readMember(key, val)
		}
		return true
	})
	r.setAgent()
	if ev.Tool != nil {
		ev.Tool.Canonical = tools.CanonicalTool(ev.Tool.Name)
		r.checkCall(body)
	}
	return ev, r.err
}

// setAgent distinguishes an agent's name from its ID. An agent's type is its name if the payload has
// no other; a payload of [Append] has that name twice, together with the ID.
func (r *eventReader) setAgent() {
	s := &r.ev.Session
	name, _ := fieldText(r.body, "subagent_type")
	key, ok := fieldKey(r.body, "agent_name")
	switch {
	case !ok || key != "agent_name":
		s.AgentName = name
	case name != "" && name == s.Agent:
		s.AgentName = name
		s.Agent = rawjson.GetText(r.body, "agent_id")
		r.ev.Details = slices.DeleteFunc(r.ev.Details, func(d checkrein.Detail) bool { return d.Name == "agent_id" && s.Agent != "" })
	}
}

// checkCall adds an error for a call that a gate cannot judge: one without a tool, or with arguments
// that are no object. Arguments that some hosts send as a string are parsed.
func (r *eventReader) checkCall(body []byte) {
	t := r.ev.Tool
	raw, said := rawArgs(body)
	if text, ok := rawjson.Text(raw); ok && t.Input == nil && rawjson.CheckObject([]byte(text)) == nil {
		t.Input = rawjson.Dedup([]byte(text))
	}
	switch {
	case !r.row.Closed || r.err != nil:
	case t.Name == "":
		r.err = errors.New("payload: the tool name is missing")
	case said && t.Input == nil:
		r.err = errors.New("payload: the tool's arguments are not an object")
	}
}

// rawArgs returns the tool's arguments as they were sent.
func rawArgs(body []byte) ([]byte, bool) {
	f, _ := fields.Find("tool_input")
	for _, name := range append([]string{f.Name}, f.Aliases...) {
		if val, ok := rawjson.Get(body, name); ok && rawjson.Kind(val) != 'n' {
			return val, true
		}
	}
	return nil, false
}

// kindOf returns the kind of an event name. native:NAME is the host's event NAME, which has a row only
// by its own name.
func kindOf(name string) (checkrein.Kind, string) {
	if native, ok := strings.CutPrefix(name, "native:"); ok {
		return checkrein.Other, native
	}
	kind, _ := hookfile.KindOf(name)
	return kind, name
}

// fieldText returns a text member by any name of a field.
func fieldText(body []byte, field string) (string, bool) {
	key, ok := fieldKey(body, field)
	if !ok {
		return "", false
	}
	val, _ := rawjson.Get(body, key)
	return rawjson.Text(val)
}

// fieldKey returns the payload's key of a field: checkrein's, or else the first of other systems' that
// it has. A null value, an empty text, and arguments that are no object count as missing.
func fieldKey(body []byte, field string) (string, bool) {
	f, _ := fields.Find(field)
	if val, ok := rawjson.Get(body, f.Name); ok && hasValue(f, val) {
		return f.Name, true
	}
	for _, a := range f.Aliases {
		if val, ok := rawjson.Get(body, a); ok && hasValue(f, val) {
			return a, true
		}
	}
	return "", false
}

// hasValue reports whether a value counts for a field.
func hasValue(f *fields.Field, val []byte) bool {
	kind := rawjson.Kind(val)
	switch {
	case f.Name == "tool_input":
		return kind == '{'
	case f.Type == fields.StringValue && string(val) == `""`:
		return false
	}
	return kind != 'n'
}

// An eventReader reads an event from a payload.
type eventReader struct {
	ev   *checkrein.Event
	row  *checkrein.Contract
	body []byte
	err  error
}

// readMember stores one member in the event. If a payload has a field under several names, the one
// that [fieldKey] returns counts; the others are kept under their own names.
func (r *eventReader) readMember(key string, val []byte) {
	name := r.fieldOf(key)
	if name != "" && !r.isFieldKey(name, key, val) {
		if name == key {
			return // hooks do not need it
		}
		name = ""
	}
	switch {
	case name == "hook_event_name" || name == "tool":
		return // already read; the canonical name is derived from the tool's name
	case name == r.row.Text && name != "":
		r.readText(key, val, &r.ev.Text)
	case name == "session_id":
		r.readText(key, val, &r.ev.Session.ID)
	case name == "cwd":
		r.readText(key, val, &r.ev.Session.Dir)
	case name == "agent_name":
		r.readText(key, val, &r.ev.Session.Agent)
	case name == "messages" && r.row.Subject == checkrein.SubjectMessages:
		r.ev.Messages = val
	case r.ev.Tool != nil && strings.HasPrefix(name, "tool_") && r.readTool(name, key, val):
	default:
		if name == "" {
			name = key
		}
		r.ev.Details = append(r.ev.Details, checkrein.Detail{Name: name, Value: val})
	}
}

// isFieldKey reports whether key is the payload's key of a field.
func (r *eventReader) isFieldKey(field, key string, val []byte) bool {
	if key == field {
		f, _ := fields.Find(field)
		return hasValue(f, val)
	}
	chosen, _ := fieldKey(r.body, field)
	return key == chosen
}

// fieldOf returns the canonical field that a member's name stands for on this event; "" if none. One
// name may stand for several fields ("message" is the prompt on one event and the outbound message on
// another): the row's own text and fields come first, then those of every tool event and every event.
func (r *eventReader) fieldOf(key string) string {
	best, rank := "", 0
	for _, name := range fields.CanonicalNames(key) {
		switch {
		case name == r.row.Text:
			return name
		case rank < 2 && slices.Contains(r.row.Fields, name):
			best, rank = name, 2
		case rank < 1 && r.isCommonField(name):
			best, rank = name, 1
		}
	}
	return best
}

func (r *eventReader) isCommonField(name string) bool {
	switch name {
	case "session_id", "cwd", "hook_event_name", "agent_name":
		return true
	case "tool_name", "tool", "tool_use_id", "tool_input", "tool_category", "tool_response", "tool_error":
		return r.ev.Tool != nil
	}
	return false
}

// readTool reads a member about the tool; false leaves it to Details.
func (r *eventReader) readTool(name, key string, val []byte) bool {
	t := r.ev.Tool
	switch name {
	case "tool_name":
		r.readText(key, val, &t.Name)
	case "tool_use_id":
		r.readText(key, val, &t.CallID)
	case "tool_category":
		r.readText(key, val, &t.Category)
	case "tool_input":
		t.Input = val
	case "tool_response":
		t.Output = val
	case "tool_error":
		t.Failed = string(val) == "true"
	default:
		return false
	}
	return true
}

func (r *eventReader) readText(key string, val []byte, to *string) {
	s, ok := rawjson.Text(val)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("payload: %s must be a string", key)
	}
	*to = s
}
