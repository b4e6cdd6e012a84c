// Package setup has what checkrein needs of Cline beside its wire: how it is installed, its
// transcripts and how it runs in the lab, as far as they are known.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/message"
)

// shut prints Cline's own block.
const shut = `echo '{"cancel":true,"errorMessage":"` + install.CouldNotAsk + `"}'`

// Install is how checkrein is installed in Cline.
var Install = install.Spec{
	Name: "cline", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{"Documents/Cline", ".cline"}, Programs: []string{"cline"},
	Within: 25, // Cline gives a hook 30 seconds
	// Exit codes mean nothing to Cline; what is not JSON lets the action happen.
	Shell: true, Trap: "trap " + install.Quote(shut+"; exit 0") + " EXIT; ", ShutSuffix: install.Untrap,
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
