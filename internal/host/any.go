package host

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// ReadAny reads a payload in any system's words that no host is named for, once for each
// row that the event is. Name, unless empty, is the event's and beats the payload's. There
// is at least one event, beside an error too.
func ReadAny(body []byte, name string) ([]checkrein.Event, error) {
	ev, err := payload.Read(body, name)
	if h := withEvent(ev.Native); ev.Kind == checkrein.Other && h != nil && !strings.HasPrefix(name, "native:") {
		c := wire.Read(h, body, ev.Native)
		for i := range c.Events {
			c.Events[i].Host = "" // of which only the name is known
		}
		return c.Events, c.Err
	}
	return append([]checkrein.Event{ev}, ranEvents(&ev)...), err
}

// IsEvent reports whether a name is checkrein's or any host's for an event with a row.
func IsEvent(name string) bool {
	_, ok := checkrein.KindOf(name)
	return ok || withEvent(name) != nil
}

// withEvent returns the first host that has an event of this name with a row, or nil.
func withEvent(native string) *wire.Host {
	for _, h := range table {
		if e := h.EventNamed(native); e != nil && len(e.Rows) > 0 {
			return h
		}
	}
	return nil
}

// ranEvents returns the post_tool_use of a tool that failed. It has run as well, and hosts
// fire both; the error stands for what it returned.
func ranEvents(ev *checkrein.Event) []checkrein.Event {
	if ev.Kind != checkrein.PostToolUseFailure || ev.Tool == nil {
		return nil
	}
	ran, tool := *ev, *ev.Tool
	tool.Failed = true
	if tool.Output == nil {
		tool.Output = ev.Detail("error")
	}
	ran.Kind, ran.Tool = checkrein.PostToolUse, &tool
	return []checkrein.Event{ran}
}
