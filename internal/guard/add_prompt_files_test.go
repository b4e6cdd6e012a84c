package guard

import (
	"github.com/checkrein/checkrein/internal/guard/addcontext"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAddPromptFiles(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	top := guardtest.TempDir(t)
	sub := filepath.Join(top, "a", "b")
	at := func(dir, name string) string { return "Instructions from " + filepath.Join(dir, name) + ":" }
	guardtest.WriteFile(t, filepath.Join(sub, "NEAR.md"), "near\n\n")
	guardtest.WriteFile(t, filepath.Join(top, "NEAR.md"), "far")
	guardtest.WriteFile(t, filepath.Join(top, "UP.md"), "\ufefffirst\n\n  second\n")
	guardtest.WriteFile(t, filepath.Join(top, "docs", "X.md"), "nested")
	guardtest.WriteFile(t, filepath.Join(top, "BLANK.md"), " \n")
	guardtest.WriteFile(t, filepath.Join(top, "BAD.md"), "a\xffb")
	guardtest.WriteFile(t, filepath.Join(m.env.Home, "UP.md"), "from home")
	if err := os.Mkdir(filepath.Join(sub, "UP.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		dir  string
		args []string
		want string
	}{
		{"no arguments", sub, nil, ""},
		{"missing", sub, []string{"NONE.md"}, ""},
		{"blank", sub, []string{"BLANK.md"}, ""},
		{"closest", sub, []string{"NEAR.md"}, guardtest.JoinLines(at(sub, "NEAR.md"), "near")},
		{"above and at home", sub, []string{"UP.md"},
			guardtest.JoinLines(at(top, "UP.md"), "first", "", "  second", "", at(m.env.Home, "UP.md"), "from home")},
		{"at home once", m.env.Home, []string{"UP.md"}, guardtest.JoinLines(at(m.env.Home, "UP.md"), "from home")},
		{"only at home", guardtest.TempDir(t), []string{"UP.md"}, guardtest.JoinLines(at(m.env.Home, "UP.md"), "from home")},
		{"the same name twice", sub, []string{"NEAR.md", "NEAR.md"}, guardtest.JoinLines(at(sub, "NEAR.md"), "near")},
		{"several", sub, []string{"NEAR.md", "NONE.md", "docs/X.md"},
			guardtest.JoinLines(at(sub, "NEAR.md"), "near", "", at(top, "docs/X.md"), "nested")},
		{"not UTF-8", sub, []string{"BAD.md"}, guardtest.JoinLines(at(top, "BAD.md"), "a\uFFFDb")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			guardtest.CheckEqual(t, m.contextOf(tt.dir, "add_prompt_files", tt.args...), tt.want)
		})
	}
}

func TestAddPromptFilesHomeOfEnvironment(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	guardtest.WriteFile(t, filepath.Join(m.env.Home, "A.md"), "home")
	m.env.Home = ""
	if got := m.contextOf(guardtest.TempDir(t), "add_prompt_files", "A.md"); !strings.HasSuffix(got, ":\nhome") {
		t.Errorf("got %q", got)
	}
}

func TestAddPromptFilesNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "/etc/passwd", "../x", "a/../../x", `a\..\x`, "..", `\x`, "a/.."} {
		if _, err := addcontext.NewAddPromptFiles([]string{"ok.md", name}); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
	for _, name := range []string{"AGENTS.md", ".cursor/rules.md", "a..b", "...", "./x"} {
		if _, err := addcontext.NewAddPromptFiles([]string{name}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestAddPromptFilesBound(t *testing.T) {
	t.Parallel()
	const maxPromptFile = 256 << 10
	m := newMachine(t)
	dir := guardtest.TempDir(t)
	path := filepath.Join(dir, "A.md")
	heading := "Instructions from " + path + ":\n"
	for _, tt := range []struct{ name, body, want string }{
		{"fits", strings.Repeat("x", maxPromptFile), strings.Repeat("x", maxPromptFile)},
		{"one more", strings.Repeat("x", maxPromptFile+1), strings.Repeat("x", maxPromptFile) + "\n... (truncated)"},
		{"within a character", "x" + strings.Repeat("é", maxPromptFile), "x" + strings.Repeat("é", (maxPromptFile-1)/2) + "\n... (truncated)"},
		{"white space does not count", strings.Repeat("x", maxPromptFile-1) + "\n", strings.Repeat("x", maxPromptFile-1)},
	} {
		guardtest.WriteFile(t, path, tt.body)
		if got := m.contextOf(dir, "add_prompt_files", "A.md"); got != heading+tt.want {
			t.Errorf("%s: got %d bytes ending in %q", tt.name, len(got), got[len(got)-20:])
		}
	}
}

func TestAddPromptFilesLinks(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	repo := m.newRepo(map[string]string{"CLAUDE.md": "shared", "sub/x": ""})
	loose := guardtest.TempDir(t)
	secret := filepath.Join(guardtest.TempDir(t), "key")
	guardtest.WriteFile(t, secret, "secret")
	link := func(target, path string) {
		if err := os.Symlink(target, path); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	link("CLAUDE.md", filepath.Join(repo, "AGENTS.md"))
	link("../CLAUDE.md", filepath.Join(repo, "sub", "UP.md"))
	link(secret, filepath.Join(repo, "KEY.md"))
	rel, _ := filepath.Rel(repo, secret)
	link(rel, filepath.Join(repo, "KEY2.md"))
	link(secret, filepath.Join(loose, "KEY.md"))
	link(filepath.Dir(secret), filepath.Join(repo, "dir"))
	link(secret, filepath.Join(m.env.Home, "MINE.md"))
	tests := []struct {
		name, dir string
		args      []string
		want      string
	}{
		{"inside", repo, []string{"AGENTS.md"}, "shared"},
		{"up inside the repository", filepath.Join(repo, "sub"), []string{"UP.md"}, "shared"},
		{"the same file by two names", repo, []string{"CLAUDE.md", "AGENTS.md"}, "shared"},
		{"out of the repository", repo, []string{"KEY.md"}, ""},
		{"out of it by a relative link", repo, []string{"KEY2.md"}, ""},
		{"out of it by a linked directory", repo, []string{"dir/key"}, ""},
		{"out of a plain directory", loose, []string{"KEY.md"}, ""},
		{"the person's own link", loose, []string{"MINE.md"}, "secret"},
	}
	for _, tt := range tests {
		got := m.contextOf(tt.dir, "add_prompt_files", tt.args...)
		if strings.Count(got, "Instructions from ") > 1 || !strings.HasSuffix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
