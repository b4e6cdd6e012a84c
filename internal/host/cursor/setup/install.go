// Package setup describes how checkrein is installed in Cursor.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install describes how checkrein is installed in Cursor.
var Install = install.Spec{
	Name: "cursor", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".cursor"}, Programs: []string{"cursor", "cursor-agent"},
	// Sources disagree on the unit of Cursor's timeout, so none is written.
	Within: 50,
	// It is not documented which shell reads the line, if any, so the line needs none;
	// failClosed denies if checkrein fails.
	Files: func(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
		dir := filepath.Join(m.Home, ".cursor")
		if s == install.Project {
			dir = filepath.Join(m.Project, ".cursor")
		}
		return []install.File{{Path: filepath.Join(dir, "hooks.json"), Form: &form, Want: want}}, nil
	},
	Managed: install.ManagedFile{Linux: "/etc/cursor/hooks.json", Darwin: "/Library/Application Support/Cursor/hooks.json"},
	Repeats: install.RunsUnknown,
	Loads:   []string{"claude"},
	Enabled: func(*install.Machine, []install.Site) install.Check {
		return install.Check{State: install.Unknown, Why: "Cursor shows this in Settings, Hooks"}
	},
	After: []string{"Cursor shows what it loaded in Settings, Hooks."},
}

var form = install.JSONForm{
	Host: "cursor", At: []string{"hooks"}, Top: install.NewMembers("version", 1), Key: "command",
	Hook: func(e install.Entry) []install.Member {
		list := install.NewMembers("command", e.Command)
		if e.Closed { // otherwise Cursor continues if the program is missing
			list = append(list, install.NewMembers("failClosed", true)...)
		}
		return list
	},
	NarrowingKeys: []string{"matcher"},
}
