// Package setup describes how checkrein is installed in Gemini CLI, how its transcripts are read and
// how it runs in the lab.
package setup

import (
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Install describes how checkrein is installed in Gemini CLI.
var Install = install.Spec{
	Name: "gemini", Scopes: []install.Scope{install.User, install.Project},
	Folders: []string{".gemini"}, Programs: []string{"gemini"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutFailed,
	Windows: install.PowerShell,
	Files: func(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
		return []install.File{{Path: settingsFile(m, s), Form: install.MillisForm("gemini"), Want: want}}, nil
	},
	Managed: install.ManagedFile{Linux: "/etc/gemini-cli/settings.json", Darwin: "/Library/Application Support/GeminiCli/settings.json", Form: func(*install.Machine) install.Form {
		form := install.MillisForm("gemini")
		form.Top = install.NewMembers("hooksConfig", map[string]bool{"enabled": true}) // no user's settings override it
		return form
	}},
	Repeats: install.RunsOnce,
	Enabled: checkEnabled,
	Trusted: checkTrusted, TrustsFolders: true,
	After: []string{"In a folder that you have not trusted, Gemini CLI runs no hooks. It asks you when you first start it there. To change your answer later, use /permissions."},
}

func settingsFile(m *install.Machine, s install.Scope) string {
	if s == install.Project {
		return filepath.Join(m.Project, ".gemini", "settings.json")
	}
	return filepath.Join(m.Home, ".gemini", "settings.json")
}

func checkEnabled(m *install.Machine, _ []install.Site) install.Check {
	for _, s := range []install.Scope{install.User, install.Project} {
		path := settingsFile(m, s)
		if install.SettingText(path, "hooksConfig", "enabled") == "false" {
			return install.NewCheck(install.No, m.ShortPath(path)+" turns hooks off (hooksConfig.enabled)", install.EnableIt)
		}
		if off, _ := install.SettingList(path, "hooksConfig", "disabled"); slices.Contains(off, install.HookName) {
			return install.NewCheck(install.No, m.ShortPath(path)+" lists checkrein in hooksConfig.disabled", install.RemoveIt)
		}
	}
	return install.Check{State: install.Yes}
}

// checkTrusted checks whether the user trusted the project's folder.
func checkTrusted(m *install.Machine, _ []install.Site) install.Check {
	if install.SettingText(settingsFile(m, install.User), "security", "folderTrust", "enabled") == "false" {
		return install.Check{State: install.NotNeeded}
	}
	if m.Getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
		return install.Check{State: install.Yes, Why: "GEMINI_CLI_TRUST_WORKSPACE is set"}
	}
	path := filepath.Join(m.Home, ".gemini", "trustedFolders.json")
	for dir := m.Project; ; dir = filepath.Dir(dir) {
		switch v := install.SettingText(path, dir); {
		case v == `"DO_NOT_TRUST"`:
			return install.NewCheck(install.No, dir+" is not trusted, so no hook runs there", message.Do("to trust it, use /permissions in gemini"))
		case v == `"TRUST_FOLDER"`, v == `"TRUST_PARENT"`:
			return install.Check{State: install.Yes}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return install.Check{State: install.NotYet, Why: "Gemini CLI asks whether you trust " + m.Project + " when you first start it there, and runs no hooks until you do"}
}
