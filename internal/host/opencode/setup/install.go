// Package setup describes how checkrein is installed in OpenCode, how its transcripts are read and how
// it runs in the lab.
package setup

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/opencode"
)

// Install describes how checkrein is installed in OpenCode.
var Install = install.Spec{
	Name: "opencode", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".config/opencode", ".local/share/opencode"}, Programs: []string{"opencode"},
	Files:   pluginFiles,
	Repeats: install.RunsUnknown,
	After:   []string{"OpenCode loads plugins when it starts: start a new session. Anyone who edits opencode.json can keep the plugin from loading. To check that it loads, run checkrein status."},
}

// pluginFiles returns the plugin and the configuration file that loads it by its path. In OpenCode's
// own plugin directory, OpenCode would install packages beside it.
func pluginFiles(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
	dir, plugin := filepath.Join(m.DirFromEnv("XDG_CONFIG_HOME", ".config"), "opencode"), "checkrein/plugin.js"
	if s == install.Project {
		dir, plugin = m.Project, ".checkrein/opencode.js"
	}
	config := filepath.Join(dir, "opencode.json")
	if other := filepath.Join(dir, "opencode.jsonc"); !isFile(config) && isFile(other) {
		config = other
	}
	var form install.Form = &install.PluginList{
		// Otherwise OpenCode would add it and change the file.
		Top:  install.NewMembers("$schema", "https://opencode.ai/config.json"),
		List: []string{"plugin"}, Element: "./" + plugin,
		Mine: func(e string) bool {
			return strings.HasSuffix(e, "/checkrein/plugin.js") || strings.HasSuffix(e, "/.checkrein/opencode.js")
		},
	}
	if s == install.User {
		form = m.PrefixForm("opencode", form, opencode.Row.Wrappers[0].Member)
	}
	return []install.File{
		{Path: filepath.Join(dir, filepath.FromSlash(plugin)), Form: install.Module{Host: "opencode", Text: opencode.Plugin(m.HookLine()), Events: install.EventsOf(want)}},
		{Path: config, Form: form},
	}, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
