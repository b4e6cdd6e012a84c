package checkrein_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// hostNames lists the files, and the folders with a trailing slash, outside the hosts' own folders in
// which names of hosts may occur, with the reasons. A fact about a host belongs in its row. The text
// before a colon is the kind; see kindNames.
var hostNames = map[string]string{
	// Dialects, some of which are called as the host that they come from.
	"contracts.go":                   "dialect",
	"internal/approval/vanished.go":  "dialect",
	"internal/cli/base/kit.go":       "dialect",
	"internal/cli/canary/find.go":    "dialect",
	"internal/cli/run/run.go":        "dialect: the registry of agent files",
	"internal/cli/setup/init.go":     "dialect",
	"internal/hook/config/config.go": "dialect",
	"internal/hook/dialect/":         "dialect",
	"internal/hook/grammar/":         "dialect",
	"internal/app/run_by_host.go":    "dialect",

	// Models and their vendors.
	"internal/agent/model/config.go":  "model",
	"internal/catalog/facts/owner.go": "model: whose key a variable has",
	"internal/host/mockmodel/":        "model: a protocol",
	"models/":                         "model",

	// Editors and other programs of the same names, and agents among programs of any kind.
	"internal/approval/person/table.go":         "editor",
	"internal/guard/selfprotect/git_setting.go": "editor",
	"internal/shell/exfil/request.go":           "editor",
	"internal/shell/argv/names.go":              "editor",

	// Words that are no hosts: names of users, beginnings of words.
	"internal/secret/pii/private_places.go": "word",
	"internal/shell/code/escape.go":         "word",

	// Examples in the help of commands.
	"internal/cli/hot/hook.go":      "example",
	"internal/cli/canary/canary.go": "example",
}

// kindNames are the hosts that the files of a kind may name. Files of other kinds may name any host.
var kindNames = map[string][]string{
	"dialect": {"claude", "docker-agent"},
	"model":   {"claude", "copilot", "gemini"},
	"editor":  {"cursor", "windsurf"},
	"word":    {"pi"},
}

// TestHostNames checks that everything special about a host is in its folder: no string or import
// elsewhere has the name of a host.
func TestHostNames(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || name == "internal/lab" || name != "." && d.Name()[0] == '.' || isHostFolder(name)):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		place := hostNamesEntry(name)
		kind, _, _ := strings.Cut(hostNames[place], ":")
		for host, text := range hostNamesIn(t, path) {
			used[place] = true
			if of, some := kindNames[kind]; kind == "" || some && !slices.Contains(of, host) {
				t.Errorf("%s names %s: %s: state it in the row of the host, internal/host/<name>/row.go", name, host, text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range hostNames {
		if !used[name] {
			t.Errorf("hostNames lists %s, which names no host", name)
		}
	}
}

// TestHostFolders checks that a host has at most two packages: one that the hot program links, and one
// with the rest.
func TestHostFolders(t *testing.T) {
	t.Parallel()
	entries, err := filepath.Glob("internal/host/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range entries {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if info.IsDir() && isHostFolder(filepath.ToSlash(filepath.Dir(path))) && name != "setup" && name != "testdata" {
			t.Errorf("%s: what the hot program does not link of a host is in its package setup", path)
		}
	}
}

// isHostFolder reports whether name is the folder of a host.
func isHostFolder(name string) bool {
	_, err := os.Stat(filepath.Join(name, "row.go"))
	return err == nil && strings.HasPrefix(name, "internal/host/")
}

// hostNamesEntry returns the entry of hostNames that applies to a file, or "".
func hostNamesEntry(name string) string {
	for at := range hostNames {
		if at == name || strings.HasSuffix(at, "/") && strings.HasPrefix(name, at) {
			return at
		}
	}
	return ""
}

// hostNamesIn returns the hosts that strings and imports of a hand-written file name, each with an
// example.
func hostNamesIn(t *testing.T, path string) map[string]string {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(src[:min(len(src), 200)], []byte("DO NOT EDIT")) || len(hostsIn(string(src))) == 0 {
		return nil // most files need not be parsed
	}
	tree, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if imp, ok := n.(*ast.ImportSpec); ok {
			return strings.Contains(imp.Path.Value, "/internal/host/")
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			for _, host := range hostsIn(lit.Value) {
				found[host] = lit.Value
			}
		}
		return true
	})
	return found
}

// hostsIn returns the hosts whose names are words of text, whatever separates the words.
func hostsIn(text string) []string {
	text = " " + strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return ' '
	}, text) + " "
	var out []string
	for _, name := range hosts.Names {
		if strings.Contains(text, " "+strings.ReplaceAll(name, "-", " ")+" ") || strings.Contains(text, " "+strings.ReplaceAll(name, "-", "")+" ") {
			out = append(out, name)
		}
	}
	return out
}
