// Package setup has what checkrein needs of OpenCode beside its wire: how it is installed, its
// transcripts and how it runs in the lab, as far as they are known.
package setup

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/opencode"
)

// Install is how checkrein is installed in OpenCode.
var Install = install.Spec{
	Name: "opencode", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".config/opencode", ".local/share/opencode"}, Programs: []string{"opencode"},
	Files:   files,
	Repeats: install.RunsUnknown,
	After:   []string{"OpenCode loads plugins when it starts: start a new session. Anyone who edits opencode.json can keep the plugin from loading. To check that it loads, run checkrein status."},
}

// files are the plugin and the configuration that names it by its path:
// in the folder of plugins it would make OpenCode install packages beside it.
func files(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
	dir, plugin := filepath.Join(m.Dir("XDG_CONFIG_HOME", ".config"), "opencode"), "checkrein/plugin.js"
	if s == install.Project {
		dir, plugin = m.Project, ".checkrein/opencode.js"
	}
	config := filepath.Join(dir, "opencode.json")
	if other := filepath.Join(dir, "opencode.jsonc"); !isFile(config) && isFile(other) {
		config = other
	}
	return []install.File{
		{Path: filepath.Join(dir, filepath.FromSlash(plugin)), Form: install.Module{Host: "opencode", Text: opencode.Plugin(m.Line()), Events: install.EventsOf(want)}},
		{Path: config, Form: &install.PluginList{
			// Without it OpenCode would put it there, and change the file.
			Top:  install.Members("$schema", "https://opencode.ai/config.json"),
			List: []string{"plugin"}, Element: "./" + plugin,
			Mine: func(e string) bool {
				return strings.HasSuffix(e, "/checkrein/plugin.js") || strings.HasSuffix(e, "/.checkrein/opencode.js")
			},
		}},
	}, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
