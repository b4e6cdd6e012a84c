//go:build ignore

package install

import (
	"path/filepath"
	"slices"
	"strings"
)

var openclaw = spec{
	name: "openclaw", scopes: []Scope{User},
	folders: []string{".openclaw"}, programs: []string{"openclaw"},
	files:   openclawFiles,
	repeats: unknown,
	enabled: openclawEnabled,
	trusted: openclawTrusted,
	after: []string{
		"OpenClaw loads plugins when it starts: restart the gateway (openclaw gateway restart).",
		"openclaw agent exec calls no hooks, so nothing guards it: use openclaw agent --local or the gateway.",
		"If plugins.allow in openclaw.json is a list, add \"checkrein\" to it. install does not change that list, because you decide which plugins to trust.",
	},
}

const openclawID = "checkrein"

func openclawDir(m *Machine) string { return m.dir("OPENCLAW_STATE_DIR", ".openclaw") }

func openclawConfig(m *Machine) string {
	if path := m.Getenv("OPENCLAW_CONFIG_PATH"); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(openclawDir(m), "openclaw.json")
}

// openclawFiles are the plugin's folder and the configuration that loads it.
func openclawFiles(m *Machine, _ Scope, want []entry) ([]file, error) {
	made, err := m.plugin("openclaw")
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(openclawDir(m), "checkrein-plugin")
	var out []file
	for _, f := range made {
		form := form(plain{f.Text})
		if filepath.Ext(f.Name) == ".js" {
			form = module{"openclaw", f.Text, eventsOf(want)}
		}
		out = append(out, file{path: filepath.Join(dir, f.Name), form: form})
	}
	entry := []string{"plugins", "entries", openclawID}
	return append(out, file{path: openclawConfig(m), form: &elements{
		list: []string{"plugins", "load", "paths"}, element: dir,
		mine:    func(e string) bool { return strings.HasSuffix(filepath.ToSlash(e), "/checkrein-plugin") },
		object:  entry,
		members: []placed{{entry, "enabled", true}, {append(slices.Clone(entry), "hooks"), "allowConversationAccess", true}},
	}}), nil
}

func openclawEnabled(m *Machine, _ []Site) Check {
	path := openclawConfig(m)
	if setting(path, "plugins", "enabled") == "false" {
		return Check{No, m.short(path) + " switches plugins off (plugins.enabled): set it to true"}
	}
	if off, _ := settings(path, "plugins", "deny"); slices.Contains(off, openclawID) {
		return Check{No, m.short(path) + " lists checkrein in plugins.deny: remove it there"}
	}
	if setting(path, "plugins", "entries", openclawID, "enabled") == "false" {
		return Check{No, m.short(path) + " sets plugins.entries.checkrein.enabled to false: set it to true"}
	}
	if setting(path, "plugins", "entries", openclawID, "hooks", "allowConversationAccess") != "true" {
		return Check{Yes, "but " + m.short(path) + " has no plugins.entries.checkrein.hooks.allowConversationAccess, so checkrein does not see prompts, replies or the end of a run: to add it, run checkrein install openclaw"}
	}
	return Check{Yes, ""}
}

func openclawTrusted(m *Machine, _ []Site) Check {
	path := openclawConfig(m)
	allowed, ok := settings(path, "plugins", "allow")
	switch {
	case !ok || len(allowed) == 0:
		return Check{Yes, "plugins.allow is not set, so OpenClaw loads every configured plugin and warns about it"}
	case slices.Contains(allowed, openclawID):
		return Check{Yes, ""}
	}
	return Check{NotYet, "plugins.allow in " + m.short(path) + " does not contain \"checkrein\", so OpenClaw does not load the plugin: add it there"}
}
