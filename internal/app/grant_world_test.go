package app

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// A world is a home directory with a project, repositories and programs that only log their calls.
// Commands really run in it, so that what they lose can be compared without the code that judges
// commands.
type world struct {
	t        *testing.T
	dir      string // commands may destroy everything below it
	template string // a copy of the initial state
}

// stub is a script in place of a program that sends data. It logs its arguments, its directory and its
// environment.
const stub = `#!/bin/bash
{ printf '%q ' "${0##*/}" "$@"; printf ' @%s %s %s %s' "$PWD" "$DOCKER_HOST" "$PGHOST" "$KUBECONFIG"; [ -t 0 ] || tr '\n' ' '; echo; } >> "$WORLD/log"
case "${0##*/}" in sudo|busybox) exec "$@";; esac
`

const worldScript = `set -e
mkdir -p home/proj home/docs/x/in home/docs/y bin
cd home
echo 1 > docs/x/one; echo 2 > docs/x/in/one; echo 3 > docs/x/.hidden; echo 4 > docs/y/one; echo 5 > docs/note; echo 6 > 'docs/x/*'; echo 7 > docs/y/two; echo 8 > 'docs/x y'
ln -s ../docs/y docs/link
cd proj
git init -q --template= -b main .
git config user.email a@example.com; git config user.name a; git config commit.gpgsign false
mkdir -p src/sub data
echo a > src/a.go; echo b > src/b.go; echo a > src/sub/a.go; echo h > src/.hid; echo x > data/x; echo y > data/y
git add -A; git commit -q -m one
git branch old; git branch older; git tag v1
echo s >> src/b.go; git stash -q
echo two > two; git add two; git commit -q -m two
git init -q --template= --bare ../one.git; git init -q --template= --bare ../two.git
git remote add origin "$WORLD/home/one.git"; git remote add second "$WORLD/home/two.git"
git push -q origin main old; git push -q second main old
git reset -q --soft HEAD~1; git commit -q -m 'two, again'
echo changed >> src/a.go; echo untracked > new; mkdir fresh; echo f > fresh/f
cp -a . ../proj2
`

func newWorld(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs bash")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t, filepath.Join(base, "w"), filepath.Join(base, "template")}
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := w.bash(w.dir, worldScript); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"docker", "kubectl", "psql", "mysql", "curl", "sudo", "busybox", "ssh", "aws", "terraform", "scp", "rsync", "dropdb"} {
		if err := built.WriteScript(filepath.Join(w.dir, "bin", name), stub); err != nil {
			t.Fatal(err)
		}
	}
	w.mustRun(base, "chmod -R go= w && find w -type f ! -perm -u=x -exec chmod 600 {} + && cp -a w template")
	return w
}

func (w *world) bash(dir, text string) (string, error) {
	cmd := exec.Command("bash", "-c", text)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + filepath.Join(w.dir, "home"), "WORLD=" + w.dir, "PATH=" + filepath.Join(w.dir, "bin") + ":" + os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *world) mustRun(dir, text string) {
	w.t.Helper()
	if out, err := w.bash(dir, text); err != nil {
		w.t.Fatalf("%s: %v\n%s", text, err, out)
	}
}

// restore resets the files that differ from the template.
func (w *world) restore() {
	w.t.Helper()
	have, want := readTree(w.t, w.dir), readTree(w.t, w.template)
	for path, what := range have {
		if want[path] != what {
			_ = os.RemoveAll(filepath.Join(w.dir, path)) // its parent may have been removed before
		}
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		to := filepath.Join(w.dir, path)
		if have[path] == want[path] {
			if _, err := os.Lstat(to); err == nil {
				continue
			}
		}
		mode, text, _ := strings.Cut(want[path], "\x00")
		var err error
		switch mode[0] {
		case 'd':
			err = os.MkdirAll(to, 0o700)
		case 'L':
			err = os.Symlink(text, to)
		default:
			err = os.WriteFile(to, []byte(text), 0o600)
			if strings.Contains(mode, "x") {
				err = os.Chmod(to, 0o700)
			}
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// readTree returns the contents of every path below dir.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String() + "\x00"
		switch {
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += string(data)
		case d.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			what += target
		}
		rel, _ := filepath.Rel(dir, path)
		if rel != "." {
			out[rel] = what
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// losses runs a command in a directory of the world, and returns what it loses, sends or makes other
// programs do.
func (w *world) losses(dir, command string) []string {
	w.t.Helper()
	before := w.snapshot()
	_, _ = w.bash(filepath.Join(w.dir, dir), command) // the command may fail
	after := w.snapshot()
	var out []string
	for path, what := range before {
		if after[path] != what {
			out = append(out, path)
		}
	}
	data, _ := os.ReadFile(filepath.Join(w.dir, "log"))
	for line := range strings.Lines(string(data)) {
		if said := normalizeCall(strings.TrimSpace(line)); said != "" {
			out = append(out, said)
		}
	}
	sort.Strings(out)
	return out
}

// normalizeCall returns a line of a stub's log in a single spelling.
func normalizeCall(line string) string {
	name, _, _ := strings.Cut(line, " ")
	if name == "busybox" { // its effects show in the files
		return ""
	}
	if name != "docker" && name != "kubectl" && name != "dropdb" {
		return "told " + line
	}
	words, at, _ := strings.Cut(line, " @")
	_, at, _ = strings.Cut(at, " ") // ignore the directory
	for _, same := range [][2]string{{"namespace", "ns"}, {"--context=p", "--context p"}} {
		words = strings.ReplaceAll(words, same[0], same[1])
	}
	list := strings.Fields(strings.ReplaceAll(words, `\ `, "_"))
	sort.Strings(list)
	return "told " + strings.Join(list, " ") + " " + at
}

// snapshot returns the contents of every path in the world, without git's own files.
func (w *world) snapshot() map[string]string {
	w.t.Helper()
	out := readTree(w.t, w.dir)
	maps.DeleteFunc(out, func(path, _ string) bool {
		name := filepath.Base(path)
		return path == "log" || strings.HasPrefix(path, "bin") || name == "index" || strings.Contains(path, "/objects") || strings.Contains(path, "/logs") || strings.HasSuffix(name, "_HEAD") || name == "COMMIT_EDITMSG"
	})
	return out
}

// asksAboutLosses is a user's file with levels at which packs ask about what they would otherwise have
// saved first.
const asksAboutLosses = "version: 1\npacks: [{name: filesystem, medium: ask}, {name: git, medium: ask}]\n"

// configure writes the user's file.
func (w *world) configure(text string) {
	w.t.Helper()
	file := filepath.Join(w.dir, "home", ".config", "checkrein", "checkrein.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}
