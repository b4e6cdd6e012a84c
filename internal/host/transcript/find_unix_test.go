//go:build unix

package transcript_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

// TestFindFollowsSymlinks checks that transcripts behind symlinks are listed once, that nothing
// blocks, and that files that are not transcripts are listed with a reason.
func TestFindFollowsSymlinks(t *testing.T) {
	_, text := longestFixture(t, "claude")
	home, elsewhere := t.TempDir(), t.TempDir()
	projects := filepath.Join(home, ".claude", "projects")
	dir := filepath.Join(projects, "p")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, "folder.jsonl"), 0o700))
	must(os.MkdirAll(filepath.Join(elsewhere, "q"), 0o700))
	must(os.WriteFile(filepath.Join(dir, "good.jsonl"), text, 0o600))
	must(os.WriteFile(filepath.Join(dir, "LOUD.JSONL"), text, 0o600))
	must(os.WriteFile(filepath.Join(elsewhere, "one.txt"), text, 0o600))
	must(os.WriteFile(filepath.Join(elsewhere, "q", "behind.jsonl"), text, 0o600))
	must(os.Symlink(filepath.Join(elsewhere, "one.txt"), filepath.Join(dir, "link.jsonl")))
	must(os.Symlink(filepath.Join(elsewhere, "one.txt"), filepath.Join(dir, "link-again.jsonl")))
	must(os.Symlink(filepath.Join(dir, "good.jsonl"), filepath.Join(projects, "a-copy.jsonl")))
	must(os.Symlink(filepath.Join(elsewhere, "q"), filepath.Join(projects, "linked")))
	must(os.Symlink(projects, filepath.Join(dir, "loop")))
	must(os.Symlink(filepath.Join(dir, "self.jsonl"), filepath.Join(dir, "self.jsonl")))
	must(os.Symlink(filepath.Join(elsewhere, "none"), filepath.Join(dir, "dangling.jsonl")))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe.jsonl"), 0o600))
	must(syscall.Mkfifo(filepath.Join(elsewhere, "pipe"), 0o600))
	must(os.Symlink(filepath.Join(elsewhere, "pipe"), filepath.Join(dir, "to-pipe.jsonl")))
	want := map[string]string{
		"good.jsonl": "", "LOUD.JSONL": "", "link-again.jsonl": "", "behind.jsonl": "",
		"dangling.jsonl": "it is a broken symlink", "self.jsonl": "the symlink cannot be followed", "pipe.jsonl": "it is a pipe", "to-pipe.jsonl": "it is a pipe",
	}
	if os.Geteuid() == 0 {
		must(os.WriteFile(filepath.Join(dir, "theirs.jsonl"), text, 0o644))
		must(os.Chown(filepath.Join(dir, "theirs.jsonl"), 4242, 4242))
		want["theirs.jsonl"] = "it belongs to another user"
	}
	for _, f := range setups.Transcripts().Find(home, nil) {
		why, ok := want[filepath.Base(f.Path)]
		if delete(want, filepath.Base(f.Path)); !ok || !strings.HasPrefix(f.Skip, why) || (why == "") != (f.Skip == "") {
			t.Errorf("%s: %q, want %q", f.Path, f.Skip, why)
		}
		n := 0
		count := func(*transcript.Call) error { n++; return nil }
		_, err := f.Read(transcript.Options{}, count)
		if (err == nil) != (why == "") || (n > 0) != (why == "") {
			t.Errorf("%s: %d calls, %v", f.Path, n, err)
		}
		// A listed file may have been replaced by something else.
		f.Skip = ""
		n = 0
		_, err = f.Read(transcript.Options{}, count)
		if why != "" && (err == nil || n > 0) {
			t.Errorf("%s, read all the same: %d calls, %v", f.Path, n, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

// TestFileTime checks that a file's time cannot be set back, and includes the write-ahead log of a
// database.
func TestFileTime(t *testing.T) {
	_, text := longestFixture(t, "claude")
	home, long := t.TempDir(), time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)
	begin := time.Now().Add(-time.Minute)
	put := func(name string, text []byte) {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600), os.Chtimes(path, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	put(".claude/projects/p/s.jsonl", text)
	for _, f := range setups.Transcripts().Find(home, nil) {
		if f.Time.Before(begin) {
			t.Errorf("%s: %s", f.Path, f.Time)
		}
	}
	later := time.Now().Add(time.Hour).Truncate(time.Second)
	put(".local/share/opencode/opencode.db", nil)
	put(".local/share/opencode/opencode.db-wal", nil)
	if err := os.Chtimes(filepath.Join(home, ".local/share/opencode/opencode.db-wal"), later, later); err != nil {
		t.Fatal(err)
	}
	files := setups.Transcripts().Find(home, nil)
	if len(files) != 2 || !files[1].Time.Equal(later) {
		t.Errorf("a log of changes: %+v", files)
	}
}

func TestFindUsesEnvironment(t *testing.T) {
	_, text := longestFixture(t, "codex")
	home, moved := t.TempDir(), t.TempDir()
	path := filepath.Join(moved, "sessions", "2026", "01", "02", "rollout-x.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := setups.Transcripts().Find(home, nil); len(got) > 0 {
		t.Errorf("without the variable: %v", got)
	}
	got := setups.Transcripts().Find(home, []string{"CODEX_HOME=" + moved})
	if len(got) != 1 || got[0].Path != path || got[0].Size != int64(len(text)) || got[0].Time.IsZero() || got[0].Skip != "" {
		t.Errorf("with it: %+v", got)
	}
	if got := setups.Transcripts().Find(home, []string{"CODEX_HOME=sessions"}); len(got) > 0 {
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
	got := setups.Transcripts().Find(home, nil)
	if len(got) != 1 || !strings.Contains(got[0].Skip, "the folder cannot be read: ") {
		t.Errorf("%+v", got)
	}
}
