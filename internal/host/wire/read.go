package wire

import (
	"bytes"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/envelope"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// Read reads the payload of a host that sends one flat object with its event in
// hook_event_name: once for each row that the event is.
func Read(h *Host, body []byte, name string) Call {
	if name == "" {
		name = rawjson.GetText(bytes.TrimSpace(body), "hook_event_name")
	}
	return ReadAs(h, body, body, name)
}

// ReadAs is Read for a host whose payload was brought into that form first. Raw
// is what it sent.
func ReadAs(h *Host, raw, body []byte, name string) Call {
	c := Call{Host: h, Native: name, Event: h.EventNamed(name)}
	if c.Event == nil || len(c.Event.Rows) == 0 {
		c.add(raw, body, "native:"+name)
		if name == "" && c.Err == nil {
			c.Err = envelope.ErrNoEvent
		}
		return c
	}
	for _, row := range c.Event.Rows {
		c.add(raw, body, row.Kind.String())
	}
	return c
}

func (c *Call) add(raw, body []byte, name string) {
	ev, err := envelope.Read(body, name)
	ev.Host, ev.Native, ev.Raw = c.Host.Name, c.Native, raw
	if c.Err == nil {
		c.Err = err
	}
	c.Events = append(c.Events, ev)
}

// Gates reports whether something waits for the answer to decide if it happens;
// an event that nobody can name may be such a one.
func (c *Call) Gates() bool {
	if c.Native == "" {
		return true
	}
	for i := range c.Events {
		if checkrein.ContractOf(c.Events[i].Kind).Closed {
			return true
		}
	}
	return false
}
