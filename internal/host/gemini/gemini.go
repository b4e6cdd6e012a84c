// Package gemini is the wire of Gemini CLI.
//
// Its events have names of their own and its answers look like Claude Code's
// without being them: a decision stands at the top, never inside, and whatever
// it does not know it passes over without a word. So every answer is one JSON
// object at exit 0, in its own keys.
package gemini

import (
	"time"

	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Gemini CLI.
var Host = wire.Host{
	Name: "gemini", Title: "Gemini CLI", Version: "0.61.0", Mark: wire.Observed,
	CommandVars: []string{"GEMINI_CLI"}, // read in its source
	About:       "Hooks go in settings.json. Hooks from all sources are added up. Timeouts are in milliseconds. In an untrusted folder, no hook runs. If a hook program is missing, every tool is blocked. If a hook is late, the tool runs. While an editor drives it (--acp), no hook is asked about tools.",
	Asks:        wire.Asks{Reach: wire.AtTerminal, NoAskOptions: []string{"-p", "--prompt"}},
	BlindOption: "--acp",
	Dirs:        []string{"dir_path", "directory"},
	Waits:       60 * time.Second,
	Events:      events, Quirks: quirks,
	Read: read, Encode: say,
	ReportsRunInput: true, // observed
}
