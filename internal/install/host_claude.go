package install

import "path/filepath"

var claude = spec{
	name: "claude", scopes: []Scope{User, Project},
	folders: []string{".claude"}, programs: []string{"claude"},
	timeout: 600, within: 600 - margin,
	shell: true,
	// Claude Code waits no longer than that, whatever is written.
	limits:  []limit{{"SessionEnd", 60, 60 - margin}},
	files:   claudeFiles,
	repeats: runsOnce,
	also: func(m *Machine) []string {
		return []string{filepath.Join(m.Project, ".claude", "settings.local.json")}
	},
	enabled: claudeEnabled,
	after:   []string{"Claude Code reads its settings while it runs: sessions that are open have the hooks now."},
}

func claudeSettings(m *Machine, s Scope) string {
	if s == Project {
		return filepath.Join(m.Project, ".claude", "settings.json")
	}
	return filepath.Join(m.dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
}

func claudeFiles(m *Machine, s Scope, want []entry) ([]file, error) {
	return []file{{path: claudeSettings(m, s), form: claudeForm("claude"), want: want}}, nil
}

// claudeForm is hooks in groups with a matcher, timeouts in seconds.
func claudeForm(host string) *jsonForm {
	return &jsonForm{
		host: host, at: []string{"hooks"}, nested: true, key: "command",
		hook: func(e entry) []member {
			return []member{{"type", "command"}, {"command", e.command}, {"timeout", e.timeout}}
		},
		quiet: []string{"matcher", "if", "async", "asyncRewake"},
	}
}

func claudeEnabled(m *Machine, _ []Site) Check {
	files := []string{claudeSettings(m, User), claudeSettings(m, Project), filepath.Join(m.Project, ".claude", "settings.local.json"), "/etc/claude-code/managed-settings.json"}
	for _, path := range files {
		if setting(path, "disableAllHooks") == "true" {
			return Check{No, m.short(path) + " has disableAllHooks: remove it there"}
		}
	}
	if path := files[len(files)-1]; setting(path, "allowManagedHooksOnly") == "true" {
		return Check{No, path + " allows the administrator's hooks only (allowManagedHooksOnly)"}
	}
	return Check{Yes, ""}
}
