//go:build unix

package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFindFollowsNothing puts things where transcripts are that are none: nothing is
// followed, nothing is waited for, and each is named with a reason.
func TestFindFollowsNothing(t *testing.T) {
	_, text := fixture(t, "claude")
	home, elsewhere := t.TempDir(), t.TempDir()
	dir := filepath.Join(home, ".claude", "projects", "p")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, "folder.jsonl"), 0o700))
	must(os.MkdirAll(filepath.Join(elsewhere, "q"), 0o700))
	must(os.WriteFile(filepath.Join(dir, "good.jsonl"), text, 0o600))
	must(os.WriteFile(filepath.Join(elsewhere, "q", "secret.jsonl"), text, 0o600))
	must(os.Symlink(filepath.Join(elsewhere, "q", "secret.jsonl"), filepath.Join(dir, "link.jsonl")))
	must(os.Symlink(filepath.Join(elsewhere, "q"), filepath.Join(home, ".claude", "projects", "linked")))
	must(os.Symlink(filepath.Join(elsewhere, "none"), filepath.Join(dir, "dangling.jsonl")))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe.jsonl"), 0o600))
	want := map[string]string{
		"good.jsonl": "", "link.jsonl": "a symbolic link is not followed", "dangling.jsonl": "a symbolic link is not followed", "pipe.jsonl": "it is a pipe",
	}
	if os.Geteuid() == 0 {
		must(os.WriteFile(filepath.Join(dir, "theirs.jsonl"), text, 0o644))
		must(os.Chown(filepath.Join(dir, "theirs.jsonl"), 4242, 4242))
		want["theirs.jsonl"] = "it belongs to another user"
	}
	for _, f := range Find(home, nil) {
		why, ok := want[filepath.Base(f.Path)]
		if delete(want, filepath.Base(f.Path)); !ok || f.Skip != why {
			t.Errorf("%s: %q, want %q", f.Path, f.Skip, why)
		}
		n := 0
		count := func(*Call) error { n++; return nil }
		_, err := f.Read(Options{}, count)
		if (err == nil) != (why == "") || (n > 0) != (why == "") {
			t.Errorf("%s: %d calls, %v", f.Path, n, err)
		}
		// What was a file when it was listed may be something else by now.
		f.Skip = ""
		n = 0
		_, err = f.Read(Options{}, count)
		var skip *SkipError
		if why != "" && (!errors.As(err, &skip) || skip.Why != why || n > 0) {
			t.Errorf("%s, read all the same: %d calls, %v", f.Path, n, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

func TestFindHearsTheEnvironment(t *testing.T) {
	_, text := fixture(t, "codex")
	home, moved := t.TempDir(), t.TempDir()
	path := filepath.Join(moved, "sessions", "2026", "01", "02", "rollout-x.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Find(home, nil); len(got) > 0 {
		t.Errorf("without the variable: %v", got)
	}
	got := Find(home, []string{"CODEX_HOME=" + moved})
	if len(got) != 1 || got[0].Path != path || got[0].Size != int64(len(text)) || got[0].Time.IsZero() || got[0].Skip != "" {
		t.Errorf("with it: %+v", got)
	}
	if got := Find(home, []string{"CODEX_HOME=sessions"}); len(got) > 0 {
		t.Errorf("a path that is not absolute: %v", got)
	}
}

func TestFolderThatCannotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can read every folder")
	}
	home := t.TempDir()
	dir := filepath.Join(home, ".claude", "projects", "closed")
	if err := os.MkdirAll(dir, 0o000); err != nil {
		t.Fatal(err)
	}
	got := Find(home, nil)
	if len(got) != 1 || !strings.Contains(got[0].Skip, "the folder cannot be read: ") {
		t.Errorf("%+v", got)
	}
}
