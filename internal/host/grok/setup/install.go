// Package setup describes how checkrein is installed in Grok and how it runs in the lab.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install describes how checkrein is installed in Grok, which loads all files in its directory of
// hooks.
var Install = install.Spec{
	Name: "grok", Scopes: []install.Scope{install.User},
	Folders: []string{".grok"}, Programs: []string{"grok"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutFailed,
	Files: func(m *install.Machine, _ install.Scope, want []install.Entry) ([]install.File, error) {
		path := filepath.Join(m.DirFromEnv("GROK_HOME", ".grok"), "hooks", "checkrein.json")
		return []install.File{{Path: path, Form: install.GroupForm("grok"), Want: want}}, nil
	},
	Repeats: install.RunsUnknown,
	Loads:   []string{"claude", "cursor"},
	After:   []string{"Grok loads hooks when it starts: start a new session, or reload them in /hooks."},
}
