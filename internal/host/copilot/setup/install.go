// Package setup describes how checkrein is installed in GitHub Copilot CLI, how its transcripts are
// read and how it runs in the lab.
package setup

import (
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Install describes how checkrein is installed in GitHub Copilot CLI.
var Install = install.Spec{
	Name: "copilot", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".copilot"}, Programs: []string{"copilot"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutDenied, // it runs bash
	Windows: install.GitBash,
	Files: func(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
		return []install.File{{Path: hooksFile(m, s), Form: &form, Want: want}}, nil
	},
	Repeats: install.RunsUnknown,
	Loads:   []string{"claude"},
	Enabled: func(m *install.Machine, _ []install.Site) install.Check {
		for _, name := range []string{"settings.json", "settings.local.json", "config.json"} {
			if path := filepath.Join(copilotDir(m), name); install.SettingText(path, "disableAllHooks") == "true" {
				return install.NewCheck(install.No, m.ShortPath(path)+" has disableAllHooks", install.RemoveIt)
			}
		}
		return install.Check{State: install.Yes}
	},
	Trusted: checkTrusted, TrustsFolders: true,
	After: []string{"Hooks in your own folder need no trust. A project's hooks load only in a folder that you trusted; otherwise, Copilot CLI skips them silently."},
}

func copilotDir(m *install.Machine) string { return m.DirFromEnv("COPILOT_HOME", ".copilot") }

// hooksFile returns the path of checkrein's own hooks file. Copilot CLI loads all files in its
// directory.
func hooksFile(m *install.Machine, s install.Scope) string {
	if s == install.Project {
		return filepath.Join(m.Project, ".github", "hooks", "checkrein.json")
	}
	return filepath.Join(copilotDir(m), "hooks", "checkrein.json")
}

var form = install.JSONForm{
	Host: "copilot", At: []string{"hooks"}, Top: install.NewMembers("version", 1), Key: "bash",
	Hook: func(e install.Entry) []install.Member {
		return install.NewMembers("type", "command", "bash", e.Command, "timeoutSec", e.Timeout)
	},
	NarrowingKeys: []string{"matcher"},
}

func checkTrusted(m *install.Machine, at []install.Site) install.Check {
	if !slices.ContainsFunc(at, func(s install.Site) bool { return s.Scope == install.Project }) {
		return install.Check{State: install.NotNeeded}
	}
	for _, name := range []string{"config.json", "settings.json"} {
		folders, _ := install.SettingList(filepath.Join(copilotDir(m), name), "trusted_folders")
		more, _ := install.SettingList(filepath.Join(copilotDir(m), name), "trustedFolders")
		for _, dir := range append(folders, more...) {
			if install.IsWithin(dir, m.Project) {
				return install.Check{State: install.Yes}
			}
		}
	}
	return install.NewCheck(install.NotYet, "Copilot CLI silently skips the hooks of a folder that you have not trusted", message.Do("start copilot in "+m.Project+" and trust it"))
}
