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

// ErrNoEvent reports that nothing names the event.
var ErrNoEvent = errors.New("the payload does not name its event: hook_event_name is missing")

// A Payload is what a host sent, checked and brought into the form in which hooks get
// parts of it. Several rows may be read out of one.
type Payload struct {
	raw  []byte
	body []byte // without duplicate keys, in one line
	err  error
}

// Open checks a payload, once for all rows that are read out of it.
func Open(body []byte) Payload {
	p := Payload{raw: body}
	if err := rawjson.CheckObject(body); err != nil {
		p.err = fmt.Errorf("the payload is not one JSON object: %w", err)
		return p
	}
	p.body = rawjson.Dedup(bytes.TrimSpace(body))
	if bytes.IndexByte(p.body, '\n') >= 0 { // hooks are sent one line, and parts of it are taken over as they are
		p.body = rawjson.Compact(nil, p.body)
	}
	return p
}

// Read reads a payload of one row.
func Read(body []byte, name string) (checkrein.Event, error) {
	p := Open(body)
	return p.Event(name)
}

// Event reads a row. The event's name and its fields may be any system's
// words; what has no meaning here is kept in Details. Name, unless empty, is
// the event's name and beats the payload's. Beside an error the event still
// has a kind, if any is known.
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
		said, ok := textOf(body, "hook_event_name")
		if !ok || said == "" {
			return ev, ErrNoEvent
		}
		ev.Kind, ev.Native = kindOf(said)
	}
	r := payload{ev: &ev, row: checkrein.ContractOf(ev.Kind), body: body}
	if r.row.Subject == checkrein.SubjectTool {
		ev.Tool = &checkrein.Tool{}
	}
	rawjson.Each(body, func(key string, val []byte) bool {
		if rawjson.Kind(val) != 'n' {
			r.member(key, val)
		}
		return true
	})
	r.nameAgent()
	if ev.Tool != nil {
		ev.Tool.Canonical = tools.CanonicalTool(ev.Tool.Name)
		r.gate(body)
	}
	return ev, r.err
}

// nameAgent distinguishes an agent's name from its ID. An agent's type is its name where the
// payload has no other; a payload of [Append] has that name twice, with the ID beside it.
func (r *payload) nameAgent() {
	s := &r.ev.Session
	name, _ := textOf(r.body, "subagent_type")
	key, ok := keyOf(r.body, "agent_name")
	switch {
	case !ok || key != "agent_name":
		s.AgentName = name
	case name != "" && name == s.Agent:
		s.AgentName = name
		s.Agent = rawjson.GetText(r.body, "agent_id")
		r.ev.Details = slices.DeleteFunc(r.ev.Details, func(d checkrein.Detail) bool { return d.Name == "agent_id" && s.Agent != "" })
	}
}

// gate refuses a call that nobody can judge where that matters: one without a
// tool, or with arguments that are not an object. Arguments that some hosts
// send as a text are read out of it.
func (r *payload) gate(body []byte) {
	t := r.ev.Tool
	raw, said := argsOf(body)
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

// argsOf returns the tool's arguments as they were sent.
func argsOf(body []byte) ([]byte, bool) {
	f, _ := fields.Find("tool_input")
	for _, name := range append([]string{f.Name}, f.Aliases...) {
		if val, ok := rawjson.Get(body, name); ok && rawjson.Kind(val) != 'n' {
			return val, true
		}
	}
	return nil, false
}

// kindOf finds the row for a name. native:NAME is the host's event NAME, which
// has a row only by its own name.
func kindOf(name string) (checkrein.Kind, string) {
	if native, ok := strings.CutPrefix(name, "native:"); ok {
		return checkrein.Other, native
	}
	kind, _ := hookfile.KindOf(name)
	return kind, name
}

// textOf finds a text member under any name of a field.
func textOf(body []byte, field string) (string, bool) {
	key, ok := keyOf(body, field)
	if !ok {
		return "", false
	}
	val, _ := rawjson.Get(body, key)
	return rawjson.Text(val)
}

// keyOf returns the payload's name for a field: our own, or else the first of
// the other systems' that it has. What is null is not there; nor is an empty
// text, nor are arguments that are not an object.
func keyOf(body []byte, field string) (string, bool) {
	f, _ := fields.Find(field)
	if val, ok := rawjson.Get(body, f.Name); ok && says(f, val) {
		return f.Name, true
	}
	for _, a := range f.Aliases {
		if val, ok := rawjson.Get(body, a); ok && says(f, val) {
			return a, true
		}
	}
	return "", false
}

// says reports whether a value says anything about a field.
func says(f *fields.Field, val []byte) bool {
	kind := rawjson.Kind(val)
	switch {
	case f.Name == "tool_input":
		return kind == '{'
	case f.Type == fields.StringValue && string(val) == `""`:
		return false
	}
	return kind != 'n'
}

// A payload is one being read.
type payload struct {
	ev   *checkrein.Event
	row  *checkrein.Contract
	body []byte
	err  error
}

// member puts one member where it belongs. A payload that says a thing under
// several names says it under the one that [keyOf] finds; the others are kept
// as they are called.
func (r *payload) member(key string, val []byte) {
	name := r.fieldOf(key)
	if name != "" && !r.counts(name, key, val) {
		if name == key {
			return // nothing that hooks should hear of
		}
		name = ""
	}
	switch {
	case name == "hook_event_name" || name == "tool":
		return // read before; and our own reading of the tool's name counts
	case name == r.row.Text && name != "":
		r.text(key, val, &r.ev.Text)
	case name == "session_id":
		r.text(key, val, &r.ev.Session.ID)
	case name == "cwd":
		r.text(key, val, &r.ev.Session.Dir)
	case name == "agent_name":
		r.text(key, val, &r.ev.Session.Agent)
	case name == "messages" && r.row.Subject == checkrein.SubjectMessages:
		r.ev.Messages = val
	case r.ev.Tool != nil && strings.HasPrefix(name, "tool_") && r.tool(name, key, val):
	default:
		if name == "" {
			name = key
		}
		r.ev.Details = append(r.ev.Details, checkrein.Detail{Name: name, Value: val})
	}
}

// counts reports whether key is the payload's name for a field.
func (r *payload) counts(field, key string, val []byte) bool {
	if key == field {
		f, _ := fields.Find(field)
		return says(f, val)
	}
	chosen, _ := keyOf(r.body, field)
	return key == chosen
}

// fieldOf maps a member's name to the canonical field that it means on this
// event, "" when it means none. One name may mean several fields ("message" is
// the prompt on one event and the outbound message on another): the row's own
// text and fields come first, then those of every tool event and every event.
func (r *payload) fieldOf(key string) string {
	best, rank := "", 0
	for _, name := range fields.CanonicalNames(key) {
		switch {
		case name == r.row.Text:
			return name
		case rank < 2 && slices.Contains(r.row.Fields, name):
			best, rank = name, 2
		case rank < 1 && r.everywhere(name):
			best, rank = name, 1
		}
	}
	return best
}

func (r *payload) everywhere(name string) bool {
	switch name {
	case "session_id", "cwd", "hook_event_name", "agent_name":
		return true
	case "tool_name", "tool", "tool_use_id", "tool_input", "tool_category", "tool_response", "tool_error":
		return r.ev.Tool != nil
	}
	return false
}

// tool reads a member about the tool; false leaves it to Details.
func (r *payload) tool(name, key string, val []byte) bool {
	t := r.ev.Tool
	switch name {
	case "tool_name":
		r.text(key, val, &t.Name)
	case "tool_use_id":
		r.text(key, val, &t.CallID)
	case "tool_category":
		r.text(key, val, &t.Category)
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

func (r *payload) text(key string, val []byte, to *string) {
	s, ok := rawjson.Text(val)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("payload: %s must be a string", key)
	}
	*to = s
}
