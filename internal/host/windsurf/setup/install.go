// Package setup describes how checkrein is installed in Windsurf.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install describes how checkrein is installed in Windsurf.
var Install = install.Spec{
	Name: "windsurf", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".codeium/windsurf"}, Programs: []string{"windsurf"},
	Within: 50, Rootless: true,
	Shell: true, ShutSuffix: install.ShutDenied, // bash -c
	Windows: install.GitBash,
	Files: func(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
		path := filepath.Join(m.Home, ".codeium", "windsurf", "hooks.json")
		if s == install.Project {
			path = filepath.Join(m.Project, ".windsurf", "hooks.json")
		}
		return []install.File{{Path: path, Form: &form, Want: want}}, nil
	},
	Managed: install.ManagedFile{Linux: "/etc/windsurf/hooks.json", Darwin: "/Library/Application Support/Windsurf/hooks.json"},
	Repeats: install.RunsUnknown,
}

var form = install.JSONForm{
	Host: "windsurf", At: []string{"hooks"}, Key: "command",
	Hook: func(e install.Entry) []install.Member {
		return install.NewMembers("command", e.Command, "show_output", true)
	},
}
