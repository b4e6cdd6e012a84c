package wire

import (
	"bytes"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Read reads the payload of a host that sends one flat object with its event in hook_event_name, and
// returns an event for each row of the host's event. A name that is not empty overrides
// hook_event_name.
func Read(h *Host, body []byte, name string) Call {
	if name == "" {
		name = rawjson.GetText(bytes.TrimSpace(body), "hook_event_name")
	}
	return ReadAs(h, body, body, name)
}

// ReadAs is Read for a host whose payload was converted to that form first. raw is what the host sent.
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
	c.settleFailure()
	c.addImplied()
	return c
}

// AddDetail adds a detail to the events of a kind that do not have it.
func (c *Call) AddDetail(kind checkrein.Kind, name, text string) {
	for i := range c.Events {
		if ev := &c.Events[i]; ev.Kind == kind && text != "" && ev.Detail(name) == nil {
			ev.Details = append(ev.Details, checkrein.Detail{Name: name, Value: rawjson.Quote(text)})
		}
	}
}

// addImplied adds details that follow from the kind of an event.
func (c *Call) addImplied() {
	for i := range c.Events {
		ev := &c.Events[i]
		switch ev.Kind {
		case checkrein.Stop:
			c.AddDetail(checkrein.TurnEnd, "reason", "normal") // other ends have a reason of their own
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

// settleFailure adjusts the rows of a tool that has run. One that failed fires both rows, and the
// error is the output in post_tool_use. One that did not fail loses its failure row.
func (c *Call) settleFailure() {
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

func (c *Call) addEvent(raw []byte, payload *payload.Payload, name string) {
	ev, err := payload.Event(name)
	ev.Host, ev.Native, ev.Raw = c.Host.Name, c.Native, raw
	if c.Err == nil {
		c.Err = err
	}
	c.Events = append(c.Events, ev)
}

// IsGate reports whether the host waits for the answer to decide whether something happens. An event
// without a name may be a gate.
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
