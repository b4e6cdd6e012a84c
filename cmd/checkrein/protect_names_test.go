package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// newHomeWithPrograms returns a home whose programs lie where the README puts
// them, beside others, with a project in it.
func newHomeWithPrograms(t *testing.T) *guardedHome {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(top, "home")
	bin := filepath.Join(home, ".local", "bin")
	g := &guardedHome{t: t, home: home, project: filepath.Join(home, "work"), program: filepath.Join(bin, "checkrein"), env: []string{"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin"}}
	g.put(filepath.Join(bin, "jq"), "x")
	for _, name := range []string{"checkrein", "checkreind"} {
		if out, err := exec.Command("cp", filepath.Join(programs, name), bin).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	for path, text := range map[string]string{
		"work/go.mod": "module example.com/work\n", "work/cmd/checkrein/main.go": "package main\n", "work/cmd/app/main.go": "package main\n", "work/cmd/lint/main.go": "package main\n",
		"src/checkrein/go.mod": "module example.com/checkrein\n", "work/d/checkrein": "x", "work/d/notes.txt": "x", "work/bin/app": "x", "work/out/a.txt": "x", "work/list.txt": "https://example.com/checkrein\n",
		"work/evil.tar": "x", "work/fine.tar": "x", "work/evil/package.json": `{"name":"evil","bin":{"checkrein":"x.js"}}`, "Downloads/x": "x",
		".local/bin/check": "x", "work/f": "x", "work/check": "x", "work/bin/checkrein": "x", "work/d/checkrein.zst": "x", ".claude/skills/a/SKILL.md": "x",
		"work/mk/Makefile":    "BIN = $(HOME)/.local/bin\nbuild:\n\tgo build -o bin/app ./cmd/app\n\ntest:\n\tgo test ./...\n\ninstall: build\n\tcp ../d/checkrein $(BIN)/\n",
		"work/rules/Makefile": "%.out:\n\tcp dist/x $(DEST)/$(NAME)\n\ntest:\n\techo ok\n\ninstall: test\n\tmkdir -p $(PREFIX)/bin\n\tcp x $(PREFIX)/bin/x\n",
		"work/main.go":        "package main\n", "work/pypkg/setup.py": "from setuptools import setup\nsetup(name='x', scripts=['checkrein'])\n", "work/rules/x": "x",
		"work/pkg/package.json": `{"scripts": {"build": "cp ../d/checkrein out/", "install-tool": "cp ../d/checkrein ~/.local/bin/"}}`,
	} {
		g.put(filepath.Join(home, path), text)
	}
	for _, dir := range []string{"work", ".claude", ".local", "other"} {
		g.initRepository(filepath.Join(home, dir))
	}
	g.run("install", "claude", "--program", g.program)
	settings, err := os.ReadFile(filepath.Join(home, ".claude", "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	g.put(filepath.Join(home, "other", ".claude", "settings.json"), string(settings))
	return g
}

func (g *guardedHome) initRepository(dir string) {
	g.t.Helper()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		g.t.Fatalf("git init: %v %s", err, out)
	}
}

// Files whose names follow from a folder, a prefix or a package come to lie over
// checkrein's programs, settings and wiring as little as any other.
func TestResultingNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a shell's")
	}
	f, err := os.Open("testdata/resulting_names.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g := newHomeWithPrograms(t)
	rows := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		want, command, ok := strings.Cut(lines.Text(), " ")
		if !ok || want == "#" {
			continue
		}
		rows[want]++
		if want == "pass" {
			want = ""
		}
		g.want(&hostShapes[0], want, "Bash", map[string]any{"command": command})
	}
	if rows["stop"] < 100 || rows["pass"] < 80 || len(rows) != 2 {
		t.Errorf("rows: %v", rows)
	}
	g.initRepository(g.home)
	for command, want := range map[string]string{
		"cd ~ && git checkout main": "stop", "cd ~ && git stash pop": "stop", "cd ~ && git reset --hard": "stop", "git -C ~ pull": "stop", "cd ~/Downloads && git pull": "stop",
		"cd ~ && git status": "", "cd ~ && git add .bashrc": "", "cd ~ && git commit -m x": "", "git pull": "", "git stash pop": "",
	} {
		g.want(&hostShapes[0], want, "Bash", map[string]any{"command": command})
	}
}

// Tools put files where their arguments lead, as programs do.
func TestResultingNamesOfTools(t *testing.T) {
	t.Parallel()
	g := newHomeWithPrograms(t)
	in := func(p string) string { return filepath.Join(g.home, p) }
	type args = map[string]any
	for _, row := range []struct {
		want, tool string
		input      args
	}{
		{"stop", "move_file", args{"source": in("work/d/checkrein"), "destination": in(".local/bin")}},
		{"stop", "copy_file", args{"source": in("work/d/checkrein"), "destination": in(".local/bin") + "/"}},
		{"stop", "copy_directory", args{"source": in("work/d"), "destination": in(".local/bin")}},
		{"stop", "extract", args{"archive": in("work/evil.tar"), "destination": g.home}},
		{"stop", "unzip", args{"file": in("work/got.zip"), "output_dir": in(".local/bin")}},
		{"stop", "download", args{"url": "https://example.com/checkrein", "save_dir": in(".local/bin")}},
		{"stop", "clone", args{"url": "https://example.com/x.git", "path": g.home, "force": true}},
		{"stop", "rename", args{"path": in(".local/bin/x"), "new_name": "checkrein"}},
		{"stop", "rename", args{"path": in(".local/bin"), "new_name": "bin2"}},
		{"stop", "create_symlink", args{"target": in(".local/bin"), "link": in("work/out2")}},
		{"stop", "batch", args{"operations": `[{"op":"write","path":"` + in(".local/bin/checkrein") + `","content":"x"}]`}},
		{"stop", "put", args{"base": g.home, "segments": []string{".local", "bin", "checkrein"}}},
		{"", "move_file", args{"source": in("work/bin/app"), "destination": in(".local/bin")}},
		{"", "move_file", args{"source": in("work/d/checkrein"), "destination": in("work/out")}},
		{"", "copy_file", args{"source": in("work/bin/app"), "destination": in(".local/bin") + "/"}},
		{"", "copy_directory", args{"source": in("work/d"), "destination": in("work/out")}},
		{"", "copy_directory", args{"source": in("work/cmd"), "destination": in("Downloads")}},
		{"", "extract", args{"archive": in("work/evil.tar"), "destination": in("work/out")}},
		{"", "unzip", args{"file": in("work/got.zip"), "output_dir": in("Downloads")}},
		{"", "download", args{"url": "https://example.com/jq", "save_dir": in(".local/bin")}},
		{"", "download", args{"url": "https://example.com/checkrein", "save_dir": in("Downloads")}},
		{"", "clone", args{"url": "https://example.com/x.git", "path": in("src/x")}},
		{"", "rename", args{"path": in("work/bin/x"), "new_name": "checkrein"}},
		{"", "rename", args{"path": in(".local/bin/x"), "new_name": "y"}},
		{"", "rename", args{"path": in("work/bin"), "new_name": "bin2"}},
		{"", "create_symlink", args{"target": in("work/bin"), "link": in("work/out2")}},
		{"", "batch", args{"operations": `[{"op":"write","path":"` + in("work/a.txt") + `","content":"x"}]`}},
		{"", "put", args{"base": g.project, "segments": []string{"d", "checkrein"}}},
		{"", "open_folder", args{"path": in(".local/bin")}},
		{"", "list_directory", args{"path": in(".local/bin")}},
	} {
		g.want(&hostShapes[0], row.want, "mcp__files__"+row.tool, row.input)
	}
}
