//go:build ignore

package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

var kiro = spec{
	name: "kiro", scopes: []Scope{User, Project},
	folders: []string{".kiro", ".aws/amazonq"}, programs: []string{"kiro-cli", "kiro"},
	timeout: 600, within: 600 - margin,
	shell: true, shut: shutDenied, // bash -c
	files:   kiroFiles,
	repeats: unknown,
	after:   []string{"Each Kiro hook belongs to one agent: after you add an agent, run checkrein install kiro again. The built-in agent has no file, so nothing guards it."},
}

func kiroFiles(m *Machine, s Scope, want []entry) ([]file, error) {
	dir := filepath.Join(m.Home, ".kiro", "agents")
	if s == Project {
		dir = filepath.Join(m.Project, ".kiro", "agents")
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var out []file
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".json") {
			out = append(out, file{path: filepath.Join(dir, e.Name()), form: &kiroForm, want: want})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].path < out[j].path })
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: Kiro keeps hooks in its agents' files, but %s contains no agent file. Create one (kiro-cli agent create) and install again", ErrNoPlace, m.short(dir))
	}
	return out, nil
}

var kiroForm = jsonForm{
	host: "kiro", at: []string{"hooks"}, key: "command",
	hook: func(e entry) []member {
		var list []member
		if e.tool {
			list = append(list, member{"matcher", "*"})
		}
		return append(list, member{"command", e.command}, member{"timeout_ms", e.timeout * 1000}, member{"cache_ttl_seconds", 0})
	},
	quiet: []string{"matcher"},
}
