// Package cline implements the wire of Cline.
//
// A hook is an executable named after its event. The payload has the event's data in a member of that
// name too, and the answer always has the same three keys: cancel, errorMessage, contextModification.
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
	Waits:       30 * time.Second, // whatever is written
	Events:      events, Quirks: quirks,
	Read: read, Encode: encode,
}
