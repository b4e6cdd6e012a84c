// Package corpora reads the sets of commands that the default guard is scored on, and creates the home
// directory and project in which they are judged.
package corpora

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Set is a group of commands that the guard should treat alike.
type Set struct {
	Name  string
	About string   // what the score counts, such as "stopped"
	Files []string // below the root of the repository
}

// Sets returns the sets that are scored in one process, because their commands need no files.
func Sets() []Set {
	const verdicts, labels, evasions = "internal/lab/verdicts/testdata/", "internal/shell/classify/testdata/corpus/", "cmd/checkrein/testdata/evasions/"
	return []Set{
		{"everyday", "touched", []string{verdicts + "everyday.jsonl", verdicts + "second_everyday.jsonl", verdicts + "values_everyday.jsonl", labels + "benign_dev.jsonl", labels + "benign_lookalike.jsonl"}},
		{"powershell", "touched", []string{verdicts + "powershell_everyday.jsonl"}},
		{"harmful", "stopped", []string{verdicts + "harmful.jsonl", verdicts + "second_harmful.jsonl", verdicts + "values_harmful.jsonl"}},
		{"evasions", "stopped", []string{evasions + "evasions.jsonl", evasions + "second.jsonl", evasions + "third.jsonl", labels + "evasion.jsonl"}},
	}
}

// A Case is a command of a set.
type Case struct {
	Command string `json:"command"`
	Dialect string `json:"dialect"` // "powershell", or "" for a POSIX shell
	Setup   string `json:"setup"`   // a command that must run first
}

// ReadWithoutSetup returns the commands of a set that have no setup. root is the repository.
func (s *Set) ReadWithoutSetup(root string) ([]Case, error) {
	var out []Case
	for _, name := range s.Files {
		cases, err := ReadLines[Case](filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		out = append(out, cases...)
	}
	return slices.DeleteFunc(out, func(c Case) bool { return c.Setup != "" }), nil
}

// ReadLines returns the values in a file that has one JSON value per line.
func ReadLines[T any](file string) ([]T, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []T
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// A Place is a home directory with a project in it, where nothing is configured.
type Place struct{ Home, Project string }

// placeFiles maps paths below the home directory of a place to contents.
var placeFiles = map[string]string{
	"work/shop/.env": "PORT=3000\n", "work/shop/.env.example": "PORT=\n", "work/shop/.gitignore": ".env\nnode_modules/\ndist/\nbuild/\n",
	"work/shop/package.json": "{\"name\":\"shop\"}\n", "work/shop/Makefile": "test:\n\tgo test ./...\n", "work/shop/src/index.ts": "export {}\n",
	".ssh/id_ed25519": "not a key\n", ".ssh/id_ed25519.pub": "ssh-ed25519 AAAA dev\n", ".aws/credentials": "[default]\n", "Documents/a.txt": "a\n",
}

// BuildPlace writes a developer's home directory with a git repository below dir.
func BuildPlace(dir string) (Place, error) {
	home := filepath.Join(dir, "dev")
	p := Place{home, filepath.Join(home, "work", "shop")}
	for name, text := range placeFiles {
		file := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			return p, err
		}
	}
	for _, args := range []string{
		"init -q -b main", "add .", "-c user.name=dev -c user.email=dev@example.com commit -q -m first",
		"remote add origin git@github.com:acme/shop.git", "update-ref refs/remotes/origin/main HEAD",
		"symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main", "switch -q -c feature/cart",
		"update-ref refs/remotes/origin/feature/cart HEAD", "branch -q --set-upstream-to=origin/feature/cart",
	} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir, cmd.Env = p.Project, p.Environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			return p, fmt.Errorf("git %s: %w\n%s", args, err, out)
		}
	}
	return p, nil
}

// MakeHome creates a directory for a place. It uses the directory for temporary files only as a last
// resort, because the guard treats files there as less important.
func MakeHome() (string, error) {
	cache, _ := os.UserCacheDir()
	for _, base := range []string{os.Getenv("CHECKREIN_TEST_HOMES"), "/home", cache} {
		if base == "" || os.MkdirAll(base, 0o755) != nil {
			continue
		}
		if dir, err := os.MkdirTemp(base, "checkrein-verdicts-"); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", "checkrein-verdicts-")
}

// Environ returns the environment of a process of that place's user.
func (p Place) Environ() []string {
	return []string{"HOME=" + p.Home, "PATH=" + os.Getenv("PATH"), "TERM=dumb"}
}

// Localize replaces the home directory and the project in s, the text of a corpus, with those of p.
func (p Place) Localize(s string) string {
	s = strings.ReplaceAll(s, "/home/dev", p.Home)
	s = strings.ReplaceAll(s, "/home/u/proj", p.Project)
	return strings.ReplaceAll(s, "/home/u", p.Home)
}

// A Verdict is the guard's decision about a command of a set.
type Verdict struct {
	Set, Command, Answer string
}
