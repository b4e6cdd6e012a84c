//go:build ignore

package install

import (
	"path/filepath"
	"slices"
)

var gemini = spec{
	name: "gemini", scopes: []Scope{User, Project},
	folders: []string{".gemini"}, programs: []string{"gemini"},
	timeout: 600, within: 600 - margin,
	shell: true, shut: shutFailed,
	files: func(m *Machine, s Scope, want []entry) ([]file, error) {
		return []file{{path: geminiSettings(m, s), form: millisForm("gemini"), want: want}}, nil
	},
	repeats: runsOnce,
	enabled: geminiEnabled,
	trusted: geminiTrusted, trustsFolders: true,
	after: []string{"In a folder that you have not trusted, Gemini CLI runs no hooks. It asks you when you first start it there. To change your answer later, use /permissions."},
}

func geminiSettings(m *Machine, s Scope) string {
	if s == Project {
		return filepath.Join(m.Project, ".gemini", "settings.json")
	}
	return filepath.Join(m.Home, ".gemini", "settings.json")
}

// hookName is what hosts call our hooks where a hook has a name.
const hookName = "checkrein"

// millisForm is hooks in groups with a matcher, timeouts in milliseconds.
func millisForm(host string) *jsonForm {
	return &jsonForm{
		host: host, at: []string{"hooks"}, nested: true, key: "command",
		hook: func(e entry) []member {
			return []member{{"name", hookName}, {"type", "command"}, {"command", e.command}, {"timeout", e.timeout * 1000}}
		},
		quiet: []string{"matcher", "async"},
	}
}

func geminiEnabled(m *Machine, _ []Site) Check {
	for _, s := range []Scope{User, Project} {
		path := geminiSettings(m, s)
		if setting(path, "hooksConfig", "enabled") == "false" {
			return Check{No, m.short(path) + " turns hooks off (hooksConfig.enabled): set it to true"}
		}
		if off, _ := settings(path, "hooksConfig", "disabled"); slices.Contains(off, hookName) {
			return Check{No, m.short(path) + " lists checkrein in hooksConfig.disabled: remove it there"}
		}
	}
	return Check{Yes, ""}
}

// geminiTrusted looks the project up in the folders that the person trusted.
func geminiTrusted(m *Machine, _ []Site) Check {
	if setting(geminiSettings(m, User), "security", "folderTrust", "enabled") == "false" {
		return Check{NotNeeded, ""}
	}
	if m.Getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
		return Check{Yes, "GEMINI_CLI_TRUST_WORKSPACE is set"}
	}
	path := filepath.Join(m.Home, ".gemini", "trustedFolders.json")
	for dir := m.Project; ; dir = filepath.Dir(dir) {
		switch v := setting(path, dir); {
		case v == `"DO_NOT_TRUST"`:
			return Check{No, dir + " is not trusted, so no hook runs there. To trust it, use /permissions in gemini"}
		case v == `"TRUST_FOLDER"`, v == `"TRUST_PARENT"`:
			return Check{Yes, ""}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return Check{NotYet, "Gemini CLI asks when you first start it in " + m.Project + ", and runs no hook before you trust that folder"}
}
