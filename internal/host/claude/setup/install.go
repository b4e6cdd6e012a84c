// Package setup describes how checkrein is installed in Claude Code, how its transcripts are read and
// how it runs in the lab.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/claude"
	"github.com/checkrein/checkrein/internal/host/install"
)

// Install describes how checkrein is installed in Claude Code.
var Install = install.Spec{
	Name: "claude", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".claude"}, Programs: []string{"claude"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutFailed,
	Windows: install.GitBash, // by default; in PowerShell the line fails, and Claude Code blocks then
	// Claude Code waits no longer than this, even with a larger timeout.
	Limits:  []install.Limit{{Event: "SessionEnd", Timeout: 60, Within: 60 - install.Margin}},
	Files:   settingsFiles,
	Managed: install.ManagedFile{Linux: managedSettings, Darwin: "/Library/Application Support/ClaudeCode/managed-settings.json"},
	Local:   true,
	Repeats: install.RunsOnce,
	Enabled: checkEnabled,
	After:   []string{"Claude Code rereads its settings while it runs, so open sessions use the hooks now."},
}

const managedSettings = "/etc/claude-code/managed-settings.json"

func userSettings(m *install.Machine) string {
	return filepath.Join(m.DirFromEnv("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
}

// projectSettings returns the settings files of a project: the user's private one and the shared one.
func projectSettings(m *install.Machine) (local, shared string) {
	dir := filepath.Join(m.Project, ".claude")
	return filepath.Join(dir, "settings.local.json"), filepath.Join(dir, "settings.json")
}

func settingsFiles(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
	groups := install.GroupForm("claude")
	// A gate that is late or answers wrongly blocks the call since 2.1.295. Older builds ignore the member.
	groups.Gate = install.NewMembers("onFailure", "block")
	if s == install.Project {
		path, _ := projectSettings(m)
		return []install.File{{Path: path, Form: groups, Want: want}}, nil
	}
	form := m.PrefixForm("claude", groups, "env", claude.Row.Wrappers[0].Variable)
	return []install.File{{Path: userSettings(m), Form: form, Want: want}}, nil
}

func checkEnabled(m *install.Machine, at []install.Site) install.Check {
	local, shared := projectSettings(m)
	files := []string{userSettings(m), shared, local, managedSettings}
	if install.AreManaged(at) {
		files = files[len(files)-1:]
	}
	for _, path := range files {
		if install.SettingText(path, "disableAllHooks") == "true" {
			return install.NewCheck(install.No, m.ShortPath(path)+" has disableAllHooks", install.RemoveIt)
		}
	}
	if path := files[len(files)-1]; !install.AreManaged(at) && install.SettingText(path, "allowManagedHooksOnly") == "true" {
		return install.Check{State: install.No, Why: path + " allows the administrator's hooks only (allowManagedHooksOnly)"}
	}
	return install.Check{State: install.Yes}
}
