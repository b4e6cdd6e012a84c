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

// ErrNoEvent is the error for a payload that does not name its event.
var ErrNoEvent = errors.New("the payload does not name its event: hook_event_name is missing")

// A Payload is a checked and normalised payload of a host. Several events may be read from one.
type Payload struct {
	raw  []byte
	body []byte // without duplicate keys, on one line
	err  error
}

// Parse checks and normalises body, once for all events that are read from it.
func Parse(body []byte) Payload {
	p := Payload{raw: body}
	if err := rawjson.CheckObject(body); err != nil {
		p.err = fmt.Errorf("the payload is not one JSON object: %w", err)
		return p
	}
	p.body = rawjson.Dedup(bytes.TrimSpace(body))
	if bytes.IndexByte(p.body, '\n') >= 0 { // payloads for hooks are one line and contain parts of the body
		p.body = rawjson.Compact(nil, p.body)
	}
	return p
}

// ReadEvent parses body and returns its event; see [Payload.Event].
func ReadEvent(body []byte, name string) (checkrein.Event, error) {
	p := Parse(body)
	return p.Event(name)
}

// Event returns the event of the payload. Names of the event and of its fields may be those of any
// system; members without a meaning are kept in Details. If name is not empty, it overrides the
// event's name in the payload. If there is an error, the event still has its kind, if that is known.
func (p *Payload) Event(name string) (checkrein.Event, error) {
	ev := checkrein.Event{Raw: p.raw}
	if name != "" {
		ev.Kind, ev.Native = eventKind(name)
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
		ev.Kind, ev.Native = eventKind(said)
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

// setAgent sets the agent's name and ID from the members that were read. An agent's type counts as its
// name if the payload has no other. A payload of [Append] has the name twice, in addition to the ID.
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

// checkCall adds an error for a call that a gate cannot judge, because it has no tool or its arguments
// are not an object. Arguments that some hosts send as a string are parsed first.
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

// rawArgs returns the tool's arguments in body as the host sent them, or false if there are none.
func rawArgs(body []byte) ([]byte, bool) {
	f, _ := fields.Find("tool_input")
	for _, name := range append([]string{f.Name}, f.Aliases...) {
		if val, ok := rawjson.Get(body, name); ok && rawjson.Kind(val) != 'n' {
			return val, true
		}
	}
	return nil, false
}

// eventKind returns the kind of the event name, and the host's own name if the kind is Other.
// native:NAME stands for the host's event NAME.
func eventKind(name string) (checkrein.Kind, string) {
	if native, ok := strings.CutPrefix(name, "native:"); ok {
		return checkrein.Other, native
	}
	kind, _ := hookfile.KindOf(name)
	return kind, name
}

// fieldText returns the string value of field, under any of its names. It returns false if there is
// none.
func fieldText(body []byte, field string) (string, bool) {
	key, ok := fieldKey(body, field)
	if !ok {
		return "", false
	}
	val, _ := rawjson.Get(body, key)
	return rawjson.Text(val)
}

// fieldKey returns the key that body has for field: checkrein's name or, if that is missing, the first
// name of another system. It returns false if there is none. A null value, an empty string, and
// arguments that are not an object count as missing.
func fieldKey(body []byte, field string) (string, bool) {
	f, _ := fields.Find(field)
	if val, ok := rawjson.Get(body, f.Name); ok && isFieldValue(f, val) {
		return f.Name, true
	}
	for _, a := range f.Aliases {
		if val, ok := rawjson.Get(body, a); ok && isFieldValue(f, val) {
			return a, true
		}
	}
	return "", false
}

// isFieldValue reports whether val counts as a value of the field f.
func isFieldValue(f *fields.Field, val []byte) bool {
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

// readMember stores the member key in the event. If a payload has a field under several names, the one
// that [fieldKey] returns counts; the others are kept under their own names.
func (r *eventReader) readMember(key string, val []byte) {
	name := r.canonicalField(key)
	if name != "" && !r.isFieldKey(name, key, val) {
		if name == key {
			return // hooks do not need this member
		}
		name = ""
	}
	switch {
	case name == "hook_event_name" || name == "tool":
		return // already read, or derived from the tool's name
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

// isFieldKey reports whether key, with the value val, is the key that the payload has for field.
func (r *eventReader) isFieldKey(field, key string, val []byte) bool {
	if key == field {
		f, _ := fields.Find(field)
		return isFieldValue(f, val)
	}
	chosen, _ := fieldKey(r.body, field)
	return key == chosen
}

// canonicalField returns the field for which key stands on this event, or "" if there is none. A key
// may stand for different fields: "message" is the prompt on one event and the outbound message on
// another. The event's own text and fields take precedence, then those of all tool events, then those
// of all events.
func (r *eventReader) canonicalField(key string) string {
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

// readTool reads the member key if name is a field of the tool call. It returns false if the member
// belongs in Details.
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
