package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

// runPacks runs checkrein packs with these managed and user files, and returns its output as text and
// as a report.
func runPacks(t *testing.T, managed, user string, args ...string) (string, packs.Report) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"managed/checkrein.yaml": managed, "home/.config/checkrein/checkrein.yaml": user, "home/p/.git/HEAD": "ref: refs/heads/main\n"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := clitest.Env
	var out, errs bytes.Buffer
	env.Stdout, env.Stderr = &out, &errs
	env.Dir, env.Managed = filepath.Join(dir, "home/p"), filepath.Join(dir, "managed")
	env.Environ = []string{"HOME=" + filepath.Join(dir, "home"), "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "COLUMNS=80"}
	env.Args = append([]string{"packs"}, args...)
	if code := Run(context.Background(), env); code != console.Done {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var r packs.Report
	if slices.Contains(args, "--json") {
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
	}
	return out.String(), r
}

// Settings of a managed file are in force, and the list offers no line that would not have an effect
// against them. The user's file decides the rest.
func TestPacksOfManagedFile(t *testing.T) {
	t.Parallel()
	const managed, user = "version: 1\npacks: [{name: git, high: deny}]\n", "version: 1\npacks: [{name: git, high: ask}]\n"
	_, r := runPacks(t, managed, user, "git/push-force", "--json")
	git := r.Packs[0]
	if rule := git.List[0]; rule.Decision != "deny" || rule.Match[0].Decision != "deny" {
		t.Errorf("git/push-force is %s, its sample %s", rule.Decision, rule.Match[0].Decision)
	}
	if len(git.From) != 2 || git.From[0].Scope != "managed" || git.From[1].Scope != "user" || git.From[1].Says != "high: ask" {
		t.Errorf("from %+v", git.From)
	}
	text, _ := runPacks(t, managed, user, "git/push-force")
	if !strings.Contains(text, "your administrator set this") || strings.Contains(text, "packs: [") {
		t.Errorf("the screen offers a line that does nothing:\n%s", text)
	}
	text, _ = runPacks(t, managed, user, "disk/raw-write-device")
	if !strings.Contains(text, "\n      {name: disk, high: ask}\n") || !strings.Contains(text, "add this entry to the list under") {
		t.Errorf("another pack:\n%s", text)
	}
}

// The setting packs: [] switches all packs off, and a line switches one on again.
func TestPacksAllOff(t *testing.T) {
	t.Parallel()
	_, r := runPacks(t, "version: 1\n", "version: 1\npacks: []\n", "--json")
	for _, p := range r.Packs {
		if want := p.Kind == packs.KindSelf; p.On != want {
			t.Errorf("%s is on: %v", p.Name, p.On)
		}
	}
	text, _ := runPacks(t, "version: 1\n", "version: 1\npacks: []\n", "git")
	for _, want := range []string{"~/.config/checkrein/checkrein.yaml:2 says: packs: []", "To switch the pack on", "packs: [{name: git}]"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\n  deny ") || strings.Contains(text, "\n  ask ") {
		t.Errorf("something is decided:\n%s", text)
	}
}

// Every screen fits its width, and every rule is found by its name.
func TestPacksScreens(t *testing.T) {
	t.Parallel()
	_, all := runPacks(t, "version: 1\n", "version: 1\n", "--json")
	for _, p := range all.Packs {
		text, _ := runPacks(t, "version: 1\n", "version: 1\n", p.Name)
		for line := range strings.Lines(text) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				t.Errorf("%s: %d characters: %s", p.Name, n, line)
			}
		}
		_, r := runPacks(t, "version: 1\n", "version: 1\n", p.Name, "--json")
		if one := r.Packs[0]; len(one.List) != one.Rules {
			t.Errorf("%s has %d rules and says %d", p.Name, len(one.List), one.Rules)
		}
	}
}
