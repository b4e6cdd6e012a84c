//go:build ignore

package install

import "path/filepath"

var windsurf = spec{
	name: "windsurf", scopes: []Scope{User, Project},
	folders: []string{".codeium/windsurf"}, programs: []string{"windsurf"},
	within: 50, rootless: true,
	shell: true, shut: shutDenied, // bash -c
	files: func(m *Machine, s Scope, want []entry) ([]file, error) {
		path := filepath.Join(m.Home, ".codeium", "windsurf", "hooks.json")
		if s == Project {
			path = filepath.Join(m.Project, ".windsurf", "hooks.json")
		}
		return []file{{path: path, form: &windsurfForm, want: want}}, nil
	},
	repeats: unknown,
}

var windsurfForm = jsonForm{
	host: "windsurf", at: []string{"hooks"}, key: "command",
	hook: func(e entry) []member {
		return []member{{"command", e.command}, {"show_output", true}}
	},
}
