//go:build ignore

package install

import "path/filepath"

var claude = spec{
	name: "claude", scopes: []Scope{User, Project},
	folders: []string{".claude"}, programs: []string{"claude"},
	timeout: 600, within: 600 - margin,
	shell: true, shut: shutFailed,
	// Claude Code waits no longer than that, whatever is written.
	limits:  []limit{{"SessionEnd", 60, 60 - margin}},
	files:   claudeFiles,
	local:   true,
	repeats: runsOnce,
	enabled: claudeEnabled,
	after:   []string{"Claude Code rereads its settings while it runs, so open sessions use the hooks now."},
}

func claudeSettings(m *Machine) string {
	return filepath.Join(m.dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
}

// claudeProject are the settings of a project: one person's, and those that its
// people share.
func claudeProject(m *Machine) (local, shared string) {
	dir := filepath.Join(m.Project, ".claude")
	return filepath.Join(dir, "settings.local.json"), filepath.Join(dir, "settings.json")
}

func claudeFiles(m *Machine, s Scope, want []entry) ([]file, error) {
	user, form := claudeSettings(m), claudeForm("claude")
	if s == User {
		return []file{{path: user, form: form, want: want}}, nil
	}
	local, shared := claudeProject(m)
	out := []file{{path: local, form: form, want: want}}
	if shared != user { // else the project is the home
		out = append(out, file{path: shared, form: form, former: true})
	}
	return out, nil
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
	local, shared := claudeProject(m)
	files := []string{claudeSettings(m), shared, local, "/etc/claude-code/managed-settings.json"}
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
