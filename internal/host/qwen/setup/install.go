// Package setup describes how checkrein is installed in Qwen Code, how its transcripts are read and
// how it runs in the lab.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install describes how checkrein is installed in Qwen Code.
var Install = install.Spec{
	Name: "qwen", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".qwen"}, Programs: []string{"qwen"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutFailed,
	Files: func(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
		return []install.File{{Path: settingsFile(m, s), Form: install.MillisForm("qwen"), Want: want}}, nil
	},
	Managed: install.ManagedFile{Linux: "/etc/qwen-code/settings.json", Darwin: "/Library/Application Support/QwenCode/settings.json"},
	Repeats: install.RunsOnce,
	Enabled: func(m *install.Machine, _ []install.Site) install.Check {
		for _, s := range []install.Scope{install.User, install.Project} {
			if path := settingsFile(m, s); install.SettingText(path, "disableAllHooks") == "true" {
				return install.NewCheck(install.No, m.ShortPath(path)+" has disableAllHooks", install.RemoveIt)
			}
		}
		return install.Check{State: install.Yes}
	},
}

func settingsFile(m *install.Machine, s install.Scope) string {
	if s == install.Project {
		return filepath.Join(m.Project, ".qwen", "settings.json")
	}
	return filepath.Join(m.Home, ".qwen", "settings.json")
}
