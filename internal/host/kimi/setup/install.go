// Package setup describes how checkrein is installed in Kimi Code CLI.
package setup

import (
	"path/filepath"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install describes how checkrein is installed in Kimi Code CLI.
var Install = install.Spec{
	Name: "kimi", Scopes: []install.Scope{install.User},
	Folders: []string{".kimi"}, Programs: []string{"kimi"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutDenied,
	Files: func(m *install.Machine, _ install.Scope, want []install.Entry) ([]install.File, error) {
		return []install.File{{Path: filepath.Join(m.Home, ".kimi", "config.toml"), Form: install.TOMLForm{Host: "kimi"}, Want: want}}, nil
	},
	Repeats: install.RunsOnce,
	After:   []string{"Kimi CLI reads its configuration when it starts: start a new session."},
}
