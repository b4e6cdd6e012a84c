package wire

import (
	"bytes"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Read reads the payload of a host that sends one flat object with the name of its event in
// hook_event_name. The call has an event for each row of the host's event. If name is not empty, it
// overrides hook_event_name.
func Read(h *Host, body []byte, name string) Call {
	if name == "" {
		name = rawjson.GetText(bytes.TrimSpace(body), "hook_event_name")
	}
	return ReadAs(h, body, body, name)
}

// ReadAs is Read for a payload that was converted to that form. raw is the payload that the host sent.
func ReadAs(h *Host, raw, body []byte, name string) Call {
	c := Call{Host: h, Native: name, Event: h.FindEvent(name)}
	from := payload.Parse(body)
	if c.Event == nil || len(c.Event.Rows) == 0 {
		c.addEvent(raw, &from, "native:"+name)
		if name == "" && c.Err == nil {
			c.Err = payload.ErrNoEvent
		}
		return c
	}
	for _, row := range c.Event.Rows {
		c.addEvent(raw, &from, row.Kind.String())
	}
	c.fixFailureEvents()
	c.addImpliedDetails()
	return c
}

// AddDetail adds a detail to the events of this kind that do not have it, unless text is empty.
func (c *Call) AddDetail(kind checkrein.Kind, name, text string) {
	for i := range c.Events {
		if ev := &c.Events[i]; ev.Kind == kind && text != "" && ev.Detail(name) == nil {
			ev.Details = append(ev.Details, checkrein.Detail{Name: name, Value: rawjson.Quote(text)})
		}
	}
}

// addImpliedDetails adds details that follow from the kind of an event.
func (c *Call) addImpliedDetails() {
	for i := range c.Events {
		ev := &c.Events[i]
		switch ev.Kind {
		case checkrein.Stop:
			c.AddDetail(checkrein.TurnEnd, "reason", "normal") // turns that end otherwise have their own reason
		case checkrein.OnError:
			c.AddDetail(ev.Kind, "notification_level", "error")
		case checkrein.OnMaxIterations:
			c.AddDetail(ev.Kind, "notification_level", "warning")
		case checkrein.SubagentStart, checkrein.SubagentStop:
			c.AddDetail(ev.Kind, "parent_session_id", ev.Session.ID) // the event comes from the parent session
		case checkrein.AfterCompaction:
			switch source, _ := rawjson.Text(ev.Detail("source")); source {
			case "manual":
				c.AddDetail(ev.Kind, "compaction_reason", "manual")
			case "auto":
				c.AddDetail(ev.Kind, "compaction_reason", "threshold")
			}
		}
	}
}

// fixFailureEvents adjusts the events about a tool that has run. If the tool failed, post_tool_use
// gets the error as its output, in addition to post_tool_use_failure. If it did not fail,
// post_tool_use_failure is removed.
func (c *Call) fixFailureEvents() {
	failed := c.Event.Failure || slices.ContainsFunc(c.Events, func(ev checkrein.Event) bool { return ev.Tool != nil && ev.Tool.Failed })
	for i := range c.Events {
		ev := &c.Events[i]
		if ev.Tool == nil || !failed {
			continue
		}
		ev.Tool.Failed = true
		if ev.Kind == checkrein.PostToolUse && ev.Tool.Output == nil {
			ev.Tool.Output = ev.Detail("error")
		}
	}
	if !failed && len(c.Events) > 1 {
		c.Events = slices.DeleteFunc(c.Events, func(ev checkrein.Event) bool { return ev.Kind == checkrein.PostToolUseFailure })
	}
}

// addEvent adds the event with this canonical name, read from payload, and records the first error.
func (c *Call) addEvent(raw []byte, payload *payload.Payload, name string) {
	ev, err := payload.Event(name)
	ev.Host, ev.Native, ev.Raw = c.Host.Name, c.Native, raw
	if c.Err == nil {
		c.Err = err
	}
	c.Events = append(c.Events, ev)
}

// IsGate reports whether the host waits for the answer in order to decide whether something happens.
// An event without a name may be a gate.
func (c *Call) IsGate() bool {
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
