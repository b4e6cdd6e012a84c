//go:build ignore

package install

import (
	"os"
	"path/filepath"
	"strings"
)

var opencode = spec{
	name: "opencode", scopes: []Scope{User, Project},
	folders: []string{".config/opencode", ".local/share/opencode"}, programs: []string{"opencode"},
	files:   opencodeFiles,
	repeats: unknown,
	after:   []string{"OpenCode loads plugins when it starts: start a new session. Anyone who edits opencode.json can keep the plugin from loading. To check that it loads, run checkrein status."},
}

// opencodeFiles are the plugin and the configuration that names it by its path:
// in the folder of plugins it would make OpenCode install packages beside it.
func opencodeFiles(m *Machine, s Scope, want []entry) ([]file, error) {
	made, err := m.plugin("opencode")
	if err != nil {
		return nil, err
	}
	dir, plugin := filepath.Join(m.dir("XDG_CONFIG_HOME", ".config"), "opencode"), "checkrein/plugin.js"
	if s == Project {
		dir, plugin = m.Project, ".checkrein/opencode.js"
	}
	config := filepath.Join(dir, "opencode.json")
	if other := filepath.Join(dir, "opencode.jsonc"); !isFile(config) && isFile(other) {
		config = other
	}
	return []file{
		{path: filepath.Join(dir, filepath.FromSlash(plugin)), form: module{"opencode", made[0].Text, eventsOf(want)}},
		{path: config, form: &elements{
			// Without it OpenCode would put it there, and change the file.
			top:  []member{{"$schema", "https://opencode.ai/config.json"}},
			list: []string{"plugin"}, element: "./" + plugin,
			mine: func(e string) bool {
				return strings.HasSuffix(e, "/checkrein/plugin.js") || strings.HasSuffix(e, "/.checkrein/opencode.js")
			},
		}},
	}, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
