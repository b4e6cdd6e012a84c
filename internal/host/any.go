package host

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// ReadAny reads a payload of an unnamed host in the words of any system, and returns an event for each
// row that it fires. A name that is not empty overrides the payload's. There is at least one event,
// even with an error.
func ReadAny(body []byte, name string) ([]checkrein.Event, error) {
	ev, err := payload.Read(body, name)
	if h := findHostWithEvent(ev.Native); ev.Kind == checkrein.Other && h != nil && !strings.HasPrefix(name, "native:") {
		c := wire.Read(h, body, ev.Native)
		for i := range c.Events {
			c.Events[i].Host = "" // other hosts may use the same event name
		}
		return c.Events, c.Err
	}
	return append([]checkrein.Event{ev}, postEventsOfFailure(&ev)...), err
}

// IsEvent reports whether a name is checkrein's or any host's name of an event with a row.
func IsEvent(name string) bool {
	_, ok := hookfile.KindOf(name)
	return ok || findHostWithEvent(name) != nil
}

// findHostWithEvent returns the first host that has an event of this name with a row, or nil.
func findHostWithEvent(native string) *wire.Host {
	for _, h := range table {
		if e := h.FindEvent(native); e != nil && len(e.Rows) > 0 {
			return h
		}
	}
	return nil
}

// postEventsOfFailure returns the post_tool_use event of a tool that failed. The tool ran as well, and
// hosts fire both; the error takes the place of its output.
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
