// Package setup describes how checkrein is installed in harnesses of the Agent Hooks Protocol.
package setup

import (
	"bytes"
	"encoding/json"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install describes how checkrein is installed in harnesses of the Agent Hooks Protocol.
var Install = install.Spec{
	Name: "ahp", Scopes: []install.Scope{install.User},
	Print: registration,
}

// registration returns the registration for a harness of the Agent Hooks Protocol. The draft does not
// define where it belongs.
func registration(m *install.Machine, want []install.Entry) string {
	subscription := func(events []string, mode, policy string) json.RawMessage {
		return install.EncodeObject(install.NewMembers("events", events, "mode", mode, "timeoutMs", 60000, "failurePolicy", policy, "includeNative", true))
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
	transport := install.EncodeObject(install.NewMembers("type", "stdio", "command", m.Program, "args", append([]string{"hook", "ahp", "--within", "50"}, m.HookLine().DirArgs()...), "lifecycle", "per_event"))
	doc := install.EncodeObject(install.NewMembers("protocolVersion", "0.1", "hooks", []json.RawMessage{
		install.EncodeObject(install.NewMembers("id", "dev.checkrein.guard", "transport", transport, "subscriptions", list)),
	}))
	var b bytes.Buffer
	if err := json.Indent(&b, doc, "", "  "); err != nil {
		panic(err) // install encoded it
	}
	return b.String() + "\n"
}
