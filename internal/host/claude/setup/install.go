// Package setup has what checkrein needs of Claude Code beside its wire: how it is installed, its
// transcripts and how it runs in the lab, as far as they are known.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install is how checkrein is installed in Claude Code.
var Install = install.Spec{
	Name: "claude", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".claude"}, Programs: []string{"claude"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutFailed,
	// Claude Code waits no longer than that, whatever is written.
	Limits:  []install.Limit{{Event: "SessionEnd", Timeout: 60, Within: 60 - install.Margin}},
	Files:   claudeFiles,
	Local:   true,
	Repeats: install.RunsOnce,
	Enabled: enabled,
	After:   []string{"Claude Code rereads its settings while it runs, so open sessions use the hooks now."},
}

func settings(m *install.Machine) string {
	return filepath.Join(m.Dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
}

// project are the settings of a project: one person's, and those that its
// people share.
func project(m *install.Machine) (local, shared string) {
	dir := filepath.Join(m.Project, ".claude")
	return filepath.Join(dir, "settings.local.json"), filepath.Join(dir, "settings.json")
}

func claudeFiles(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
	path := settings(m)
	if s == install.Project {
		path, _ = project(m)
	}
	return []install.File{{Path: path, Form: install.GroupForm("claude"), Want: want}}, nil
}

func enabled(m *install.Machine, _ []install.Site) install.Check {
	local, shared := project(m)
	files := []string{settings(m), shared, local, "/etc/claude-code/managed-settings.json"}
	for _, path := range files {
		if install.Setting(path, "disableAllHooks") == "true" {
			return install.NewCheck(install.No, m.ShortPath(path)+" has disableAllHooks", install.RemoveIt)
		}
	}
	if path := files[len(files)-1]; install.Setting(path, "allowManagedHooksOnly") == "true" {
		return install.Check{State: install.No, Why: path + " allows the administrator's hooks only (allowManagedHooksOnly)"}
	}
	return install.Check{State: install.Yes}
}
