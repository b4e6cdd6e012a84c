//go:build unix

package scrub_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/scan/scrub"
	"github.com/checkrein/checkrein/internal/sys/state"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// TestDiffShowsNoSecretThatStays checks that a preview does not show a secret that stays because it is
// allowed or only noted.
func TestDiffShowsNoSecretThatStays(t *testing.T) {
	t.Parallel()
	secret := fakeToken("aB3dE5")
	for name, src := range map[string]string{"ignored": "{}", "allowed": "allow: [{path: a.txt, rule: secrets, reason: they are examples}]", "noted": "rules: {secrets: info}"} {
		p, err := policy.Parse("p.yaml", []byte(src), time.Unix(1e9, 0))
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := (&scrub.Scrubber{Policy: p}).Scrub(t.Context(), "a.txt", []byte("key = "+secret+" # checkrein:ignore it is an example\nhost 10.20.30.40\n"))
		if err != nil {
			t.Fatal(err)
		}
		if d := string(r.Diff(p, "a.txt")); strings.Contains(d, secret[4:]) || strings.Contains(d, "-key") || !strings.Contains(d, "-host 10.20.30.40") {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func newFileScrubber(t *testing.T, dir string) (*scrub.FileScrubber, state.Dir) {
	t.Helper()
	st := state.NewDir(filepath.Join(t.TempDir(), "state"))
	undo, err := scrub.NewUndo(st, time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	return &scrub.FileScrubber{Scrubber: scrub.Scrubber{Policy: loadBundled(t, "public-repo")}, Dir: dir, Undo: undo}, st
}

// TestFileChangedMeanwhile checks that changes which are made to a file while Ask runs are not lost.
func TestFileChangedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	if err := os.WriteFile(file, []byte("key = "+fakeToken("aB3dE5")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, st := newFileScrubber(t, dir)
	f.Ask = func(_ context.Context, r *scrub.Result) ([]byte, error) {
		return r.ScrubbedText(), os.WriteFile(file, []byte("new work\n"), 0o600)
	}
	if err := f.Run(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "changed in the meantime") {
		t.Errorf("error %v", err)
	}
	if got, _ := os.ReadFile(file); string(got) != "new work\n" {
		t.Errorf("it is %q", got)
	}
	if f.Undo.Count() != 0 || scrub.RestoreRun(st, f.Undo.ID, false, func(string) {}) == nil {
		t.Error("something is kept to be undone")
	}
}

// TestUndoUnusualFiles checks that names that are not UTF-8 and special mode bits are restored.
func TestUndoUnusualFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a\xff\"b")
	text := "key = " + fakeToken("aB3dE5")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Skip("names are UTF-8 here:", err)
	}
	mode := os.ModeSetgid | 0o750
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
	look := func(want string) {
		t.Helper()
		got, err := os.ReadFile(file)
		info, _ := os.Stat(file)
		if err != nil || string(got) != want || info.Mode() != mode {
			t.Errorf("it is %q, %v, %v", got, info, err)
		}
	}
	f, st := newFileScrubber(t, dir)
	if err := f.Run(t.Context(), []string{"."}); err != nil {
		t.Fatal(err)
	}
	look("key = [REDACTED:github-pat]")
	if err := scrub.RestoreRun(st, f.Undo.ID, false, func(string) {}); err != nil {
		t.Error(err)
	}
	look(text)
}

// TestUndoOfSimultaneousRuns checks that two runs that begin in the same second do not overwrite each
// other's originals.
func TestUndoOfSimultaneousRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, st := newFileScrubber(t, dir)
	undo, err := scrub.NewUndo(st, time.Unix(1e9, 0)) // before the first has stored anything
	if err != nil {
		t.Fatal(err)
	}
	b := *a
	b.Undo = undo
	for name, f := range map[string]*scrub.FileScrubber{"a": a, "b": &b} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name+" "+fakeToken("aB3dE5")), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Run(t.Context(), []string{name}); err != nil {
			t.Fatal(err)
		}
	}
	for name, f := range map[string]*scrub.FileScrubber{"a": a, "b": &b} {
		if err := scrub.RestoreRun(st, f.Undo.ID, false, func(string) {}); err != nil {
			t.Error(err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != name+" "+fakeToken("aB3dE5") {
			t.Errorf("%s is %q", name, got)
		}
	}
}
