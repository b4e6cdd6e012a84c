//go:build ignore

package install

import (
	"path/filepath"
	"slices"
)

var copilot = spec{
	name: "copilot", scopes: []Scope{User, Project},
	folders: []string{".copilot"}, programs: []string{"copilot"},
	timeout: 600, within: 600 - margin,
	shell: true, shut: shutDenied, // the member is called bash
	files: func(m *Machine, s Scope, want []entry) ([]file, error) {
		return []file{{path: copilotHooks(m, s), form: &copilotForm, want: want}}, nil
	},
	repeats: unknown,
	loads:   []string{"claude"},
	enabled: func(m *Machine, _ []Site) Check {
		for _, name := range []string{"settings.json", "settings.local.json", "config.json"} {
			if path := filepath.Join(copilotHome(m), name); setting(path, "disableAllHooks") == "true" {
				return Check{No, m.short(path) + " has disableAllHooks: remove it there"}
			}
		}
		return Check{Yes, ""}
	},
	trusted: copilotTrusted, trustsFolders: true,
	after: []string{"Hooks in your own folder need no trust. A project's hooks load only in a folder that you trusted; otherwise, Copilot CLI skips them silently."},
}

func copilotHome(m *Machine) string { return m.dir("COPILOT_HOME", ".copilot") }

// copilotHooks is a file of our own: Copilot CLI loads all in the folder.
func copilotHooks(m *Machine, s Scope) string {
	if s == Project {
		return filepath.Join(m.Project, ".github", "hooks", "checkrein.json")
	}
	return filepath.Join(copilotHome(m), "hooks", "checkrein.json")
}

var copilotForm = jsonForm{
	host: "copilot", at: []string{"hooks"}, top: []member{{"version", 1}}, key: "bash",
	hook: func(e entry) []member {
		return []member{{"type", "command"}, {"bash", e.command}, {"timeoutSec", e.timeout}}
	},
	quiet: []string{"matcher"},
}

func copilotTrusted(m *Machine, at []Site) Check {
	if !slices.ContainsFunc(at, func(s Site) bool { return s.Scope == Project }) {
		return Check{NotNeeded, ""}
	}
	for _, name := range []string{"config.json", "settings.json"} {
		folders, _ := settings(filepath.Join(copilotHome(m), name), "trusted_folders")
		more, _ := settings(filepath.Join(copilotHome(m), name), "trustedFolders")
		for _, dir := range append(folders, more...) {
			if within(dir, m.Project) {
				return Check{Yes, ""}
			}
		}
	}
	return Check{NotYet, "Copilot CLI silently skips the hooks of a folder that you have not trusted: start copilot in " + m.Project + " and trust it"}
}
