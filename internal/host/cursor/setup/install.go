//go:build ignore

package install

import "path/filepath"

var cursor = spec{
	name: "cursor", scopes: []Scope{User, Project},
	folders: []string{".cursor"}, programs: []string{"cursor", "cursor-agent"},
	// Sources disagree on the unit of Cursor's timeout, so none is written.
	within: 50,
	// Nobody says which shell reads the line, if one does, so there is nothing in it
	// that needs one; failClosed denies in our stead.
	files: func(m *Machine, s Scope, want []entry) ([]file, error) {
		dir := filepath.Join(m.Home, ".cursor")
		if s == Project {
			dir = filepath.Join(m.Project, ".cursor")
		}
		return []file{{path: filepath.Join(dir, "hooks.json"), form: &cursorForm, want: want}}, nil
	},
	repeats: unknown,
	loads:   []string{"claude"},
	enabled: func(*Machine, []Site) Check { return Check{Unknown, "Cursor shows this in Settings, Hooks"} },
	after:   []string{"Cursor shows what it loaded in Settings, Hooks."},
}

var cursorForm = jsonForm{
	host: "cursor", at: []string{"hooks"}, top: []member{{"version", 1}}, key: "command",
	hook: func(e entry) []member {
		list := []member{{"command", e.command}}
		if e.closed { // else Cursor goes on when the program is not there
			list = append(list, member{"failClosed", true})
		}
		return list
	},
	quiet: []string{"matcher"},
}
