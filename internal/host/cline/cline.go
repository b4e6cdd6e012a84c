// Package cline implements the wire of Cline.
//
// A hook is an executable named after its event. The payload has the data of the event in a member of
// the same name, and the answer always has the same three keys: cancel, errorMessage and
// contextModification.
package cline

import (
	"time"

	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Cline.
var Host = wire.Host{
	Name: "cline", Title: "Cline", Version: "August 2026", Mark: wire.Documented,
	CommandVars: []string{"CLINE_ACTIVE"}, // documented
	About:       "A hook is an executable file named after its event, in ~/Documents/Cline/Hooks or in the workspace's .clinerules/hooks. Hooks must be turned on in Cline's settings. If a hook fails, is late or is missing, the tool runs. Not tested with a real host.",
	IsEditor:    true,
	Waits:       30 * time.Second, // fixed; a configured timeout has no effect
	Events:      events, Quirks: quirks,
	Read: read, Encode: encode,
}
