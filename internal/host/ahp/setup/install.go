//go:build ignore

package install

import (
	"bytes"
	"encoding/json"
)

var ahp = spec{
	name: "ahp", scopes: []Scope{User},
	print: ahpDocument,
}

// ahpDocument is the registration that a harness of the Agent Hooks Protocol
// wants. The draft has no place of its own for it.
func ahpDocument(m *Machine, want []entry) string {
	subscription := func(events []string, mode, policy string) json.RawMessage {
		return object([]member{{"events", events}, {"mode", mode}, {"timeoutMs", 60000}, {"failurePolicy", policy}, {"includeNative", true}})
	}
	var gates, rest []string
	for _, w := range want {
		if w.closed {
			gates = append(gates, w.event)
		} else {
			rest = append(rest, w.event)
		}
	}
	var list []json.RawMessage
	if len(gates) > 0 {
		list = append(list, subscription(gates, "intercept", "fail-closed"))
	}
	if len(rest) > 0 {
		list = append(list, subscription(rest, "observe", "fail-open"))
	}
	transport := object([]member{{"type", "stdio"}, {"command", m.Program}, {"args", append([]string{"hook", "ahp", "--within", "50"}, m.line().Pins()...)}, {"lifecycle", "per_event"}})
	doc := object([]member{{"protocolVersion", "0.1"}, {"hooks", []json.RawMessage{
		object([]member{{"id", "dev.checkrein.guard"}, {"transport", transport}, {"subscriptions", list}}),
	}}})
	var b bytes.Buffer
	if err := json.Indent(&b, doc, "", "  "); err != nil {
		panic(err) // we made it
	}
	return b.String() + "\n"
}
