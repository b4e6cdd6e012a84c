package wire

import (
	"bytes"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/text/rawjson"
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
	from := payload.Open(body)
	if c.Event == nil || len(c.Event.Rows) == 0 {
		c.add(raw, &from, "native:"+name)
		if name == "" && c.Err == nil {
			c.Err = payload.ErrNoEvent
		}
		return c
	}
	for _, row := range c.Event.Rows {
		c.add(raw, &from, row.Kind.String())
	}
	c.failed()
	c.meant()
	return c
}

// Tell adds a field to the events of a kind, unless the payload has it.
func (c *Call) Tell(kind checkrein.Kind, name, text string) {
	for i := range c.Events {
		if ev := &c.Events[i]; ev.Kind == kind && text != "" && ev.Detail(name) == nil {
			ev.Details = append(ev.Details, checkrein.Detail{Name: name, Value: rawjson.Quote(text)})
		}
	}
}

// meant adds what an event means by itself, so that payloads need not say it.
func (c *Call) meant() {
	for i := range c.Events {
		ev := &c.Events[i]
		switch ev.Kind {
		case checkrein.Stop:
			c.Tell(checkrein.TurnEnd, "reason", "normal") // the model is done; a host that ends otherwise says so
		case checkrein.OnError:
			c.Tell(ev.Kind, "notification_level", "error")
		case checkrein.OnMaxIterations:
			c.Tell(ev.Kind, "notification_level", "warning")
		case checkrein.SubagentStart, checkrein.SubagentStop:
			c.Tell(ev.Kind, "parent_session_id", ev.Session.ID) // who tells of a sub-agent is the session that has it
		case checkrein.AfterCompaction:
			switch source, _ := rawjson.Text(ev.Detail("source")); source {
			case "manual":
				c.Tell(ev.Kind, "compaction_reason", "manual")
			case "auto":
				c.Tell(ev.Kind, "compaction_reason", "threshold")
			}
		}
	}
}

// failed settles the rows of a tool that has run. One that failed has run as well:
// both rows are fired, and post_tool_use has the error for what the tool returned.
// One that did not fail has no row of failures.
func (c *Call) failed() {
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

func (c *Call) add(raw []byte, payload *payload.Payload, name string) {
	ev, err := payload.Event(name)
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
