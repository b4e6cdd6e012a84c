// Package setup describes how checkrein is installed in Kiro CLI.
package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Install describes how checkrein is installed in Kiro CLI.
var Install = install.Spec{
	Name: "kiro", Scopes: []install.Scope{install.User, install.Project}, Agents: true,
	Folders: []string{".kiro", ".aws/amazonq"}, Programs: []string{"kiro-cli", "kiro"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutDenied, // bash -c
	Windows: install.GitBash,
	Files:   agentFiles,
	Repeats: install.RunsUnknown,
	After:   []string{"Each Kiro hook belongs to one agent: after you add an agent, run checkrein install kiro again. The built-in agent has no file, so nothing guards it."},
}

func agentFiles(m *install.Machine, s install.Scope, want []install.Entry) ([]install.File, error) {
	dir := filepath.Join(m.Home, ".kiro", "agents")
	if s == install.Project {
		dir = filepath.Join(m.Project, ".kiro", "agents")
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var out []install.File
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".json") {
			out = append(out, install.File{Path: filepath.Join(dir, e.Name()), Form: &form, Want: want})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: Kiro keeps hooks in its agents' files, but %s contains no agent file. Create one (kiro-cli agent create) and install again", install.ErrNoPlace, m.ShortPath(dir))
	}
	return out, nil
}

var form = install.JSONForm{
	Host: "kiro", At: []string{"hooks"}, Key: "command",
	Hook: func(e install.Entry) []install.Member {
		var list []install.Member
		if e.Tool {
			list = append(list, install.NewMembers("matcher", "*")...)
		}
		return append(list, install.NewMembers("command", e.Command, "timeout_ms", e.Timeout*1000, "cache_ttl_seconds", 0)...)
	},
	NarrowingKeys: []string{"matcher"},
}
