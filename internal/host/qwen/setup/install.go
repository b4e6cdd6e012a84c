//go:build ignore

package install

import "path/filepath"

var qwen = spec{
	name: "qwen", scopes: []Scope{User, Project},
	folders: []string{".qwen"}, programs: []string{"qwen"},
	timeout: 600, within: 600 - margin,
	shell: true, shut: shutFailed,
	files: func(m *Machine, s Scope, want []entry) ([]file, error) {
		return []file{{path: qwenSettings(m, s), form: millisForm("qwen"), want: want}}, nil
	},
	repeats: runsOnce,
	enabled: func(m *Machine, _ []Site) Check {
		for _, s := range []Scope{User, Project} {
			if path := qwenSettings(m, s); setting(path, "disableAllHooks") == "true" {
				return Check{No, m.short(path) + " has disableAllHooks: remove it there"}
			}
		}
		return Check{Yes, ""}
	},
}

func qwenSettings(m *Machine, s Scope) string {
	if s == Project {
		return filepath.Join(m.Project, ".qwen", "settings.json")
	}
	return filepath.Join(m.Home, ".qwen", "settings.json")
}
