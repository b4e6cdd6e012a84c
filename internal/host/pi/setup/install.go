// Package setup describes how checkrein is installed in Pi and how it runs in the lab.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/pi"
)

// Install describes how checkrein is installed in Pi, which loads every file in its directory of
// extensions.
var Install = install.Spec{
	Name: "pi", Scopes: []install.Scope{install.User},
	Folders: []string{".pi/agent"}, Programs: []string{"pi"},
	Files: func(m *install.Machine, _ install.Scope, want []install.Entry) ([]install.File, error) {
		path := filepath.Join(m.DirFromEnv("PI_CODING_AGENT_DIR", ".pi/agent"), "extensions", "checkrein.js")
		return []install.File{{Path: path, Form: install.Module{Host: "pi", Text: pi.Plugin(m.HookLine()), Events: install.EventsOf(want)}}}, nil
	},
	Repeats: install.RunsUnknown,
	After:   []string{"Pi loads extensions when it starts: start a new session, or type /reload. With --no-extensions, it loads none, so nothing guards it."},
}
