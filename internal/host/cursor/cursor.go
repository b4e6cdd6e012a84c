// Package cursor implements the wire of Cursor, the editor and its CLI.
//
// Each of its events has its own keys for answers, and one tool call may cause two events. A denial is
// sent in three ways, because builds differ in what they read: in JSON, by exit code 2, and on stderr.
package cursor

import (
	"time"

	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Cursor.
var Host = wire.Host{
	Name: "cursor", Title: "Cursor", Version: "1.7 to 2.x", Mark: wire.Documented,
	CommandVars: []string{"CURSOR_AGENT"}, // documented
	About:       "Hooks go in the user's and the project's hooks.json; all of them run. If a hook fails or is late, the tool runs, unless its entry sets failClosed. Not tested with a real host.",
	IsEditor:    true,
	Asks:        wire.Asks{Reach: wire.Always, NoAskOptions: []string{"-p", "--print"}},
	Dirs:        []string{"working_directory"},
	Waits:       60 * time.Second, // not documented
	Events:      events, Quirks: quirks,
	Read: read, Encode: encode,
}
