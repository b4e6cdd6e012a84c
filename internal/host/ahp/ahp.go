// Package ahp implements the wire of the Agent Hooks Protocol draft. checkrein is a backend over stdio
// that supports Base and Tool interception.
//
// A message is one line of JSON-RPC 2.0. The answer to hooks/intercept has no effects or one denial;
// hooks/observe is never answered. Any other line gets an error, and the harness then follows the
// failure policy of its registration.
package ahp

import (
	"time"

	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is any harness that implements the protocol.
var Host = wire.Host{
	Name: "ahp", Title: "Agent Hooks Protocol", Version: "0.1.0-draft.1", Mark: wire.Documented,
	About:  "A draft that no agent implements yet. checkrein is a backend for it over stdio, for Base and Tool interception. It can only deny. Not tested with a real host.",
	Waits:  60 * time.Second, // an assumption; the harness decides
	Events: events, Quirks: quirks,
	Read: read, Encode: encode,
}

// read reads the event in a message.
func read(h *wire.Host, body []byte, name string) wire.Call {
	m := parseMessage(body)
	switch {
	case m.code == notFound:
		name = m.method // not an event of the protocol, so not a gate
	case name == "" && (m.code == 0 || m.code == invalidParams):
		name = rawjson.GetText(m.event, "type")
	}
	c := wire.ReadAs(h, body, m.flatten(), name)
	if m.code != 0 && m.code != notFound {
		c.Err = m
	}
	for i := range c.Events {
		if t := c.Events[i].Tool; t != nil && t.Canonical == "" {
			t.Canonical = tools.CanonicalTool(t.Category)
		}
	}
	return c
}

// flatten returns the event in the common form.
func (m *message) flatten() []byte {
	o := rawjson.Object{'{'}
	move := func(to string, path ...string) {
		if val, ok := rawjson.Lookup(m.event, path...); ok {
			o.Raw(to, val)
		}
	}
	move("cwd", "session", "workspaceRoots", "0")
	move("cwd", "session", "cwd")
	move("session_id", "session", "id")
	move("tool_use_id", "call", "id")
	move("tool_use_id", "tool", "callId")
	move("tool_name", "tool", "name")
	move("tool_category", "tool", "kind")
	move("tool_input", "tool", "input")
	move("tool_response", "tool", "output")
	move("error", "error")
	o.Close()
	return o
}
