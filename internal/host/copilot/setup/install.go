// Package setup has what checkrein needs of GitHub Copilot CLI beside its wire: how it is installed, its
// transcripts and how it runs in the lab, as far as they are known.
package setup

import (
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Install is how checkrein is installed in GitHub Copilot CLI.
var Install = install.Spec{
	Name: "copilot", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".copilot"}, Programs: []string{"copilot"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutDenied, // the member is called bash
	Files: func(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
		return []install.File{{Path: hooks(m, s), Form: &form, Want: want}}, nil
	},
	Repeats: install.RunsUnknown,
	Loads:   []string{"claude"},
	Enabled: func(m *install.Machine, _ []install.Site) install.Check {
		for _, name := range []string{"settings.json", "settings.local.json", "config.json"} {
			if path := filepath.Join(home(m), name); install.Setting(path, "disableAllHooks") == "true" {
				return install.NewCheck(install.No, m.ShortPath(path)+" has disableAllHooks", install.RemoveIt)
			}
		}
		return install.Check{State: install.Yes}
	},
	Trusted: trusted, TrustsFolders: true,
	After: []string{"Hooks in your own folder need no trust. A project's hooks load only in a folder that you trusted; otherwise, Copilot CLI skips them silently."},
}

func home(m *install.Machine) string { return m.Dir("COPILOT_HOME", ".copilot") }

// hooks is a file of our own: Copilot CLI loads all in the folder.
func hooks(m *install.Machine, s install.Scope) string {
	if s == install.Project {
		return filepath.Join(m.Project, ".github", "hooks", "checkrein.json")
	}
	return filepath.Join(home(m), "hooks", "checkrein.json")
}

var form = install.JSONForm{
	Host: "copilot", At: []string{"hooks"}, Top: install.Members("version", 1), Key: "bash",
	Hook: func(e install.Entry) []install.Member {
		return install.Members("type", "command", "bash", e.Command, "timeoutSec", e.Timeout)
	},
	NarrowingKeys: []string{"matcher"},
}

func trusted(m *install.Machine, at []install.Site) install.Check {
	if !slices.ContainsFunc(at, func(s install.Site) bool { return s.Scope == install.Project }) {
		return install.Check{State: install.NotNeeded}
	}
	for _, name := range []string{"config.json", "settings.json"} {
		folders, _ := install.SettingList(filepath.Join(home(m), name), "trusted_folders")
		more, _ := install.SettingList(filepath.Join(home(m), name), "trustedFolders")
		for _, dir := range append(folders, more...) {
			if install.IsWithin(dir, m.Project) {
				return install.Check{State: install.Yes}
			}
		}
	}
	return install.NewCheck(install.NotYet, "Copilot CLI silently skips the hooks of a folder that you have not trusted", message.Do("start copilot in "+m.Project+" and trust it"))
}
