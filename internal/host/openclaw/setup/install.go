// Package setup has what checkrein needs of OpenClaw beside its wire: how it is installed, its
// transcripts and how it runs in the lab, as far as they are known.
package setup

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/openclaw"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Install is how checkrein is installed in OpenClaw.
var Install = install.Spec{
	Name: "openclaw", Scopes: []install.Scope{install.User},
	Folders: []string{".openclaw"}, Programs: []string{"openclaw"},
	Files:    files,
	Repeats:  install.RunsUnknown,
	Enabled:  enabled,
	Trusted:  trusted,
	Mistakes: mistakes,
	After: []string{
		"OpenClaw loads plugins when it starts: restart the gateway (openclaw gateway restart).",
		"openclaw agent exec calls no hooks, so nothing guards it: use openclaw agent --local or the gateway.",
		"If plugins.allow in openclaw.json is a list, add \"checkrein\" to it. install does not change that list, because you decide which plugins to trust.",
	},
}

const pluginID = "checkrein"

func openclawDir(m *install.Machine) string { return m.Dir("OPENCLAW_STATE_DIR", ".openclaw") }

func config(m *install.Machine) string {
	if path := m.Getenv("OPENCLAW_CONFIG_PATH"); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(openclawDir(m), "openclaw.json")
}

// files are the plugin's folder and the configuration that loads it.
func files(m *install.Machine, _ install.Scope, want []install.Entry) ([]install.File, error) {
	dir := filepath.Join(openclawDir(m), "checkrein-plugin")
	var out []install.File
	for _, f := range openclaw.Plugin(m.Line()) {
		form := install.Form(install.Manifest{Text: f.Text})
		if filepath.Ext(f.Name) == ".js" {
			form = install.Module{Host: "openclaw", Text: f.Text, Events: install.EventsOf(want)}
		}
		out = append(out, install.File{Path: filepath.Join(dir, f.Name), Form: form})
	}
	entry := []string{"plugins", "entries", pluginID}
	return append(out, install.File{Path: config(m), Form: &install.PluginList{
		List: []string{"plugins", "load", "paths"}, Element: dir,
		Mine:    func(e string) bool { return strings.HasSuffix(filepath.ToSlash(e), "/checkrein-plugin") },
		Object:  entry,
		Members: []install.PlacedMember{{At: entry, Key: "enabled", Value: true}, {At: append(slices.Clone(entry), "hooks"), Key: "allowConversationAccess", Value: true}},
	}}), nil
}

func enabled(m *install.Machine, _ []install.Site) install.Check {
	path := config(m)
	if install.Setting(path, "plugins", "enabled") == "false" {
		return install.NewCheck(install.No, m.ShortPath(path)+" switches plugins off (plugins.enabled)", install.EnableIt)
	}
	if off, _ := install.SettingList(path, "plugins", "deny"); slices.Contains(off, pluginID) {
		return install.NewCheck(install.No, m.ShortPath(path)+" lists checkrein in plugins.deny", install.RemoveIt)
	}
	if install.Setting(path, "plugins", "entries", pluginID, "enabled") == "false" {
		return install.NewCheck(install.No, m.ShortPath(path)+" sets plugins.entries.checkrein.enabled to false", install.EnableIt)
	}
	if install.Setting(path, "plugins", "entries", pluginID, "hooks", "allowConversationAccess") != "true" {
		return install.NewCheck(install.Yes, "but "+m.ShortPath(path)+" has no plugins.entries.checkrein.hooks.allowConversationAccess, so checkrein does not see prompts, replies or the end of a run",
			message.Run("checkrein install openclaw", "to add it"))
	}
	return install.Check{State: install.Yes}
}

func trusted(m *install.Machine, _ []install.Site) install.Check {
	path := config(m)
	allowed, ok := install.SettingList(path, "plugins", "allow")
	switch {
	case !ok || len(allowed) == 0:
		return install.Check{State: install.Yes, Why: "plugins.allow is not set, so OpenClaw loads every configured plugin and warns about it"}
	case slices.Contains(allowed, pluginID):
		return install.Check{State: install.Yes}
	}
	return install.NewCheck(install.NotYet, "plugins.allow in "+m.ShortPath(path)+" does not contain \"checkrein\", so OpenClaw does not load the plugin", message.Do("add it there"))
}
