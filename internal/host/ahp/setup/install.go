// Package setup has what checkrein needs of Agent Hooks Protocol beside its wire: how it is installed, its
// transcripts and how it runs in the lab, as far as they are known.
package setup

import (
	"bytes"
	"encoding/json"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install is how checkrein is installed in Agent Hooks Protocol.
var Install = install.Spec{
	Name: "ahp", Scopes: []install.Scope{install.User},
	Print: document,
}

// document is the registration that a harness of the Agent Hooks Protocol
// wants. The draft has no place of its own for it.
func document(m *install.Machine, want []install.Entry) string {
	subscription := func(events []string, mode, policy string) json.RawMessage {
		return install.EncodeObject(install.Members("events", events, "mode", mode, "timeoutMs", 60000, "failurePolicy", policy, "includeNative", true))
	}
	var gates, rest []string
	for _, w := range want {
		if w.Closed {
			gates = append(gates, w.Event)
		} else {
			rest = append(rest, w.Event)
		}
	}
	var list []json.RawMessage
	if len(gates) > 0 {
		list = append(list, subscription(gates, "intercept", "fail-closed"))
	}
	if len(rest) > 0 {
		list = append(list, subscription(rest, "observe", "fail-open"))
	}
	transport := install.EncodeObject(install.Members("type", "stdio", "command", m.Program, "args", append([]string{"hook", "ahp", "--within", "50"}, m.Line().Pins()...), "lifecycle", "per_event"))
	doc := install.EncodeObject(install.Members("protocolVersion", "0.1", "hooks", []json.RawMessage{
		install.EncodeObject(install.Members("id", "dev.checkrein.guard", "transport", transport, "subscriptions", list)),
	}))
	var b bytes.Buffer
	if err := json.Indent(&b, doc, "", "  "); err != nil {
		panic(err) // we made it
	}
	return b.String() + "\n"
}
