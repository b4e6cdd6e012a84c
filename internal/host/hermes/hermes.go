// Package hermes implements the wire of Hermes Agent's shell hooks.
//
// An answer is one action: block, modify, approve (which asks the user), or continue when the agent
// wants to stop. On most events Hermes reads no answer.
package hermes

import (
	"time"

	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Hermes Agent.
var Host = wire.Host{
	Name: "hermes", Title: "Hermes Agent", Version: "2026", Mark: wire.Documented,
	About:  "Shell hooks go in the profile's config.yaml. A new hook asks for consent once. Without a terminal, it is silently skipped until the user has consented. Not tested with a real host.",
	Asks:   wire.Asks{Reach: wire.AtTerminal},
	Dirs:   []string{"workdir"},
	Waits:  60 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Encode: encode,
}
