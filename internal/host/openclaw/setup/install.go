// Package setup describes how checkrein is installed in OpenClaw.
package setup

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/openclaw"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Install describes how checkrein is installed in OpenClaw.
var Install = install.Spec{
	Name: "openclaw", Scopes: []install.Scope{install.User},
	Folders: []string{".openclaw"}, Programs: []string{"openclaw"},
	Files:    pluginFiles,
	Repeats:  install.RunsUnknown,
	Enabled:  checkEnabled,
	Trusted:  checkTrusted,
	Mistakes: findMistakes,
	After: []string{
		"OpenClaw loads plugins when it starts: restart the gateway (openclaw gateway restart).",
		"openclaw agent exec calls no hooks, so nothing guards it: use openclaw agent --local or the gateway.",
		"If plugins.allow in openclaw.json is a list, add \"checkrein\" to it. install does not change that list, because you decide which plugins to trust.",
	},
}

const pluginID = "checkrein"

func stateDir(m *install.Machine) string { return m.DirFromEnv("OPENCLAW_STATE_DIR", ".openclaw") }

func configFile(m *install.Machine) string {
	if path := m.Getenv("OPENCLAW_CONFIG_PATH"); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(stateDir(m), "openclaw.json")
}

// pluginFiles returns the plugin's files and the configuration file that loads the plugin.
func pluginFiles(m *install.Machine, _ install.Scope, want []install.Entry) ([]install.File, error) {
	dir := filepath.Join(stateDir(m), "checkrein-plugin")
	var out []install.File
	for _, f := range openclaw.Plugin(m.HookLine()) {
		form := install.Form(install.Manifest{Text: f.Text})
		if filepath.Ext(f.Name) == ".js" {
			form = install.Module{Host: "openclaw", Text: f.Text, Events: install.EventsOf(want)}
		}
		out = append(out, install.File{Path: filepath.Join(dir, f.Name), Form: form})
	}
	entry := []string{"plugins", "entries", pluginID}
	return append(out, install.File{Path: configFile(m), Form: &install.PluginList{
		List: []string{"plugins", "load", "paths"}, Element: dir,
		Mine:    func(e string) bool { return strings.HasSuffix(filepath.ToSlash(e), "/checkrein-plugin") },
		Object:  entry,
		Members: []install.PlacedMember{{At: entry, Key: "enabled", Value: true}, {At: append(slices.Clone(entry), "hooks"), Key: "allowConversationAccess", Value: true}},
	}}), nil
}

func checkEnabled(m *install.Machine, _ []install.Site) install.Check {
	path := configFile(m)
	if install.SettingText(path, "plugins", "enabled") == "false" {
		return install.NewCheck(install.No, m.ShortPath(path)+" switches plugins off (plugins.enabled)", install.EnableIt)
	}
	if off, _ := install.SettingList(path, "plugins", "deny"); slices.Contains(off, pluginID) {
		return install.NewCheck(install.No, m.ShortPath(path)+" lists checkrein in plugins.deny", install.RemoveIt)
	}
	if install.SettingText(path, "plugins", "entries", pluginID, "enabled") == "false" {
		return install.NewCheck(install.No, m.ShortPath(path)+" sets plugins.entries.checkrein.enabled to false", install.EnableIt)
	}
	if install.SettingText(path, "plugins", "entries", pluginID, "hooks", "allowConversationAccess") != "true" {
		return install.NewCheck(install.Yes, "but "+m.ShortPath(path)+" has no plugins.entries.checkrein.hooks.allowConversationAccess, so checkrein does not see prompts, replies or the end of a run",
			message.Run("checkrein install openclaw", "to add it"))
	}
	return install.Check{State: install.Yes}
}

func checkTrusted(m *install.Machine, _ []install.Site) install.Check {
	path := configFile(m)
	allowed, ok := install.SettingList(path, "plugins", "allow")
	switch {
	case !ok || len(allowed) == 0:
		return install.Check{State: install.Yes, Why: "plugins.allow is not set, so OpenClaw loads every configured plugin and warns about it"}
	case slices.Contains(allowed, pluginID):
		return install.Check{State: install.Yes}
	}
	return install.NewCheck(install.NotYet, "plugins.allow in "+m.ShortPath(path)+" does not contain \"checkrein\", so OpenClaw does not load the plugin", message.Do("add it there"))
}
