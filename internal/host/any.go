package host

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// ReadAny reads a payload from an unknown host, in the format of any system, and returns an event for
// each row that it fires. If name is not empty, it overrides the name in the payload. There is at
// least one event, even with an error.
func ReadAny(body []byte, name string) ([]checkrein.Event, error) {
	ev, err := payload.ReadEvent(body, name)
	if h := findHostWithEvent(ev.Native); ev.Kind == checkrein.Other && h != nil && !strings.HasPrefix(name, "native:") {
		c := wire.Read(h, body, ev.Native)
		for i := range c.Events {
			c.Events[i].Host = "" // other hosts may use the same event name
		}
		return c.Events, c.Err
	}
	return append([]checkrein.Event{ev}, postEventsOfFailure(&ev)...), err
}

// ReadFor returns the events of a payload from the host name: all events of the payload if it is in the
// host's own format, or else those of a payload in any known format. If event is not empty, it
// overrides the name in the payload. An unknown host is native.
func ReadFor(name string, body []byte, event string) ([]checkrein.Event, error) {
	if h, ok := Find(name); ok {
		if c := h.Read(h, body, event); c.Event != nil {
			return c.Events, c.Err
		}
	}
	events, err := ReadAny(body, event)
	for i := range events {
		if name != "" && name != "native" {
			events[i].Host = name
		}
	}
	return events, err
}

// IsEvent reports whether name is the name of an event of checkrein, or of an event of any host that
// has a row.
func IsEvent(name string) bool {
	_, ok := hookfile.KindOf(name)
	return ok || findHostWithEvent(name) != nil
}

// findHostWithEvent returns the first host with an event of this name that has a row, or nil if there
// is none.
func findHostWithEvent(native string) *wire.Host {
	for _, h := range table {
		if e := h.FindEvent(native); e != nil && len(e.Rows) > 0 {
			return h
		}
	}
	return nil
}

// postEventsOfFailure returns the post_tool_use event for ev, an event about a tool that failed, or
// nil for other events. The tool has run, so hosts fire both events; the error takes the place of the
// output.
func postEventsOfFailure(ev *checkrein.Event) []checkrein.Event {
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
