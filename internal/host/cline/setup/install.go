// Package setup describes how checkrein is installed in Cline.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/message"
)

// printBlock is a shell command that prints a denial in Cline's format.
const printBlock = `echo '{"cancel":true,"errorMessage":"` + install.CouldNotAsk + `"}'`

// Install describes how checkrein is installed in Cline.
var Install = install.Spec{
	Name: "cline", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{"Documents/Cline", ".cline"}, Programs: []string{"cline"},
	Within: 25, // Cline gives a hook 30 seconds
	// Cline ignores exit codes, and allows the action if the output is not JSON.
	Shell: true, Trap: "trap " + install.Quote(printBlock+"; exit 0") + " EXIT; ", ShutSuffix: install.Untrap,
	Windows: install.GitBash,
	Files: func(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
		dir := filepath.Join(m.Home, "Documents", "Cline", "Hooks")
		if s == install.Project {
			dir = filepath.Join(m.Project, ".clinerules", "hooks")
		}
		var out []install.File
		for _, w := range want {
			out = append(out, install.File{Path: filepath.Join(dir, w.Event), Form: install.Script{Host: "cline", Event: w.Event}, Want: []install.Entry{w}, Mode: 0o755})
		}
		return out, nil
	},
	Repeats: install.RunsUnknown,
	Enabled: func(*install.Machine, []install.Site) install.Check {
		return install.NewCheck(install.Unknown, "Cline runs hooks only after you turn them on", message.Do("Settings, Features, Enable Hooks (in the CLI: hooks-enabled)"))
	},
	After: []string{"Cline runs hooks only after you turn them on: Settings, Features, Enable Hooks (in the CLI: hooks-enabled)."},
}
