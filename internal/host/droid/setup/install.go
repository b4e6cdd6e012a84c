// Package setup describes how checkrein is installed in Droid and how it runs in the lab.
package setup

import (
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install describes how checkrein is installed in Droid.
var Install = install.Spec{
	Name: "droid", Scopes: []install.Scope{install.User},
	Folders: []string{".factory"}, Programs: []string{"droid"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutDenied,
	Limits:  []install.Limit{{Event: "SessionStart", Timeout: 30, Within: 30 - install.Margin}}, // it goes on then
	Files:   hookFiles,
	Repeats: install.RunsOnce,
	Enabled: func(m *install.Machine, _ []install.Site) install.Check {
		for _, key := range []string{"hooksDisabled", "hooks.hooksDisabled"} {
			if path := settingsFile(m); install.SettingText(path, key) == "true" {
				return install.NewCheck(install.No, m.ShortPath(path)+" has "+key, install.RemoveIt)
			}
		}
		return install.Check{State: install.Yes}
	},
}

func settingsFile(m *install.Machine) string {
	return filepath.Join(m.DirFromEnv("FACTORY_HOME_OVERRIDE", ""), ".factory", "settings.json")
}

// hookFiles returns the file whose hooks Droid runs: one of its files for hooks, if there is one, or
// else the settings.
func hookFiles(m *install.Machine, _ install.Scope, want []install.Entry) ([]install.File, error) {
	settings := settingsFile(m)
	form := install.GroupForm("droid")
	for _, name := range []string{"hooks.json", "hooks/hooks.json"} {
		path := filepath.Join(filepath.Dir(settings), filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			form.At = nil
			return []install.File{{Path: path, Form: form, Want: want}}, nil
		}
	}
	return []install.File{{Path: settings, Form: form, Want: want}}, nil
}
