package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A project is a user's repository with a shadow.
type project struct {
	t     *testing.T
	dir   string
	state state.Dir
	now   time.Time
}

func newProject(t *testing.T) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, dir: dir, state: state.NewDir(filepath.Join(t.TempDir(), "state")), now: time.Now()}
	p.git("init", "-q")
	p.write("a.txt", "one\n")
	p.write("sub/b.txt", "two\r\n")
	p.write(".gitignore", "*.log\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "first")
	p.write(".git/info/exclude", "private\n")
	return p
}

func gitEnviron() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com")
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.dir, gitEnviron()
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (p *project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) remove(name string) {
	p.t.Helper()
	if err := os.RemoveAll(filepath.Join(p.dir, name)); err != nil {
		p.t.Fatal(err)
	}
}

// files returns all files of the project, except those of the repository.
func (p *project) files() map[string]string {
	p.t.Helper()
	return readTree(p.t, p.dir, ".git")
}

// readTree returns the contents of all files below dir, except in the directory without.
func readTree(t *testing.T, dir, without string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case name == without:
			return fs.SkipDir
		case d.IsDir():
		case d.Type()&fs.ModeSymlink != 0:
			out[name], err = os.Readlink(path)
		default:
			data, e := os.ReadFile(path)
			out[name], err = info.Mode().Perm().String()+" "+string(data), e
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (p *project) open(sub ...string) *Shadow {
	p.t.Helper()
	s, err := OpenShadow(p.t.Context(), filepath.Join(append([]string{p.dir}, sub...)...), p.state, gitEnviron(), func() time.Time { return p.now })
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// turn calls do between two snapshots of the directory sub, and reports whether a point was added.
func (p *project) turn(do func(), sub ...string) bool {
	p.t.Helper()
	s := p.open(sub...)
	from, err := s.Capture(p.t.Context(), "k")
	if err != nil {
		p.t.Fatal(err)
	}
	do()
	_, marked, err := s.AddPoint(p.t.Context(), "k", "s", "turn", from)
	if err != nil {
		p.t.Fatal(err)
	}
	return marked
}

func (p *project) steps() string {
	p.t.Helper()
	steps, err := p.open().Steps(p.t.Context(), "")
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, s := range steps {
		var files []string
		for _, f := range s.Files {
			files = append(files, f.Status+" "+f.Path)
		}
		out = append(out, strings.Join(files, ","))
	}
	return strings.Join(out, ";")
}

func wantFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %s is %.60q, want %.60q", what, name, got[name], text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is there", what, name)
		}
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("new.txt", "untracked\n")
	if err := os.Symlink("a.txt", filepath.Join(p.dir, "link")); err != nil {
		t.Fatal(err)
	}
	p.write(" odd *[a].txt", "x")
	p.write("x.log", "ignored")
	p.write("private", "ignored")
	before := p.files()
	repo := readTree(t, filepath.Join(p.dir, ".git"), "")
	marked := p.turn(func() {
		p.write("a.txt", "changed\n")
		p.write("sub/b.txt", "changed\r\n")
		p.remove("new.txt")
		p.remove("link")
		p.write("link/file", "now a folder")
		p.write(" odd *[a].txt", "y")
		p.write("made/deep/c.txt", "made\n")
		if err := os.Chmod(filepath.Join(p.dir, ".gitignore"), 0o755); err != nil {
			t.Fatal(err)
		}
	})
	if want := "M  odd *[a].txt,M .gitignore,M a.txt,D link,A link/file,A made/deep/c.txt,D new.txt,M sub/b.txt"; !marked || p.steps() != want {
		t.Errorf("marked %v: %q, want %q", marked, p.steps(), want)
	}
	if p.turn(func() { p.write("x.log", "still ignored"); p.write("private", "too") }) {
		t.Error("ignored files made a step")
	}
	if p.turn(func() {}) {
		t.Error("nothing made a step")
	}
	before["x.log"], before["private"] = "-rw-r--r-- still ignored", "-rw-r--r-- too"
	if _, err := p.open().Undo(t.Context(), "", false); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, "undone", p.files(), before)
	if _, err := os.Stat(filepath.Join(p.dir, "made")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder is left: %v", err)
	}
	wantFiles(t, "the person's repository", readTree(t, filepath.Join(p.dir, ".git"), ""), repo)
	if _, err := p.open().Undo(t.Context(), "", false); !errors.Is(err, ErrNothing) {
		t.Errorf("a second undo: %v", err)
	}
}

// TestUndoKeepsLaterWork checks that changes that the user made after a turn are not lost.
func TestUndoKeepsLaterWork(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.turn(func() { p.write("a.txt", "agent\n"); p.write("new.txt", "agent\n") })
	p.write("new.txt", "person\n")
	p.write("other.txt", "person\n")
	before := p.files()
	if _, err := p.open().Undo(t.Context(), "", false); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "new.txt") || strings.Contains(err.Error(), "a.txt") {
		t.Errorf("got %v", err)
	}
	wantFiles(t, "refused", p.files(), before)
	if _, err := p.open().Undo(t.Context(), "", true); err != nil {
		t.Fatal(err)
	}
	if got := p.files(); got["a.txt"] != "-rw-r--r-- one\n" || got["other.txt"] == "" || got["new.txt"] != "" {
		t.Errorf("forced: %q", got)
	}
}

// TestUndoNested checks that undoing an outer step also undoes the step within it.
func TestUndoNested(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	before := p.files()
	p.turn(func() {
		p.turn(func() { p.write("a.txt", "agent\n") })
	})
	for range 2 {
		if _, err := p.open().Undo(t.Context(), "", false); err != nil {
			t.Fatal(err)
		}
		wantFiles(t, "undone", p.files(), before)
	}
}

func TestLargeFiles(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	large := strings.Repeat("x", maxNew+1)
	p.write("tracked.bin", large)
	p.git("add", "tracked.bin")
	p.write("data.bin", large)
	p.turn(func() {
		p.write("tracked.bin", large+"y")
		p.write("more.bin", large)
		p.write("data.bin", "small now") // the earlier content was too large to be stored
	})
	if got := p.steps(); got != "M tracked.bin" {
		t.Errorf("got %q", got)
	}
	if _, err := p.open().Undo(t.Context(), "", false); err != nil {
		t.Fatal(err)
	}
	got := p.files()
	if got["tracked.bin"] != "-rw-r--r-- "+large || got["data.bin"] == "" || got["more.bin"] == "" {
		t.Error("large files were not treated as they should be")
	}
}

// TestHostileProject checks that attributes and settings of the project neither change bytes nor start
// programs.
func TestHostileProject(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "script")
	if err := built.WriteScript(script, "#!/bin/sh\necho x >> "+ran+"\ncat\n"); err != nil {
		t.Fatal(err)
	}
	p.write(".gitattributes", "* text eol=lf filter=evil\n*.txt ident\n")
	for key, val := range map[string]string{"filter.evil.clean": script, "filter.evil.smudge": script, "core.fsmonitor": script, "core.hooksPath": filepath.Dir(script), "core.autocrlf": "true"} {
		p.git("config", key, val)
	}
	if err := built.WriteScript(filepath.Join(filepath.Dir(script), "post-index-change"), "#!/bin/sh\necho x >> "+ran+"\n"); err != nil {
		t.Fatal(err)
	}
	p.write("sub/b.txt", "one\r\ntwo\n$Id$\n")
	before := p.files()
	p.turn(func() { p.write("sub/b.txt", "x"); p.write("c.txt", "y\r\n") })
	if _, err := p.open().Undo(t.Context(), "", false); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, "undone", p.files(), before)
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Error("a program of the project ran")
	}
	// The repository claims another directory as its working tree.
	elsewhere := t.TempDir()
	p.git("config", "core.worktree", elsewhere)
	if _, err := OpenShadow(t.Context(), p.dir, p.state, gitEnviron(), time.Now); !errors.Is(err, ErrNoRepository) {
		t.Errorf("another directory's repository: %v", err)
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	if p.turn(func() { p.write("a.txt", "outside\n") }, "sub") {
		t.Error("a file outside made a step")
	}
	if !p.turn(func() { p.write("sub/b.txt", "inside\n") }, "sub") || p.steps() != "M sub/b.txt" {
		t.Errorf("got %q", p.steps())
	}
	p.turn(func() { p.write("a.txt", "all\n") })
	if _, err := p.open("sub").Undo(t.Context(), "", false); err != nil {
		t.Fatal(err)
	}
	if _, err := p.open().Undo(t.Context(), "", false); err != nil {
		t.Fatal(err)
	}
	if got := p.files(); got["a.txt"] != "-rw-r--r-- outside\n" || got["sub/b.txt"] != "-rw-r--r-- two\r\n" {
		t.Errorf("got %q", got)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.dir, link); err != nil {
		t.Fatal(err)
	}
	s, err := OpenShadow(t.Context(), link, p.state, gitEnviron(), time.Now)
	if err != nil || s.name != p.open().name {
		t.Errorf("through a link: %v", err)
	}
}

func TestNoRepository(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		if _, err := OpenShadow(t.Context(), dir, state.NewDir(t.TempDir()), gitEnviron(), time.Now); !errors.Is(err, ErrNoRepository) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := OpenShadow(t.Context(), t.TempDir(), state.Dir{}, gitEnviron(), time.Now); !errors.Is(err, state.ErrNoState) {
		t.Errorf("without state: %v", err)
	}
}

// TestRemoveOld checks that points are removed after a week, and that the remaining ones can still be
// undone.
func TestRemoveOld(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("a.txt", "old\n")
	p.turn(func() { p.write("a.txt", "older\n") })
	p.now = p.now.Add(8 * 24 * time.Hour)
	p.turn(func() { p.write("a.txt", "newer\n") })
	old := time.Now().Add(-30 * 24 * time.Hour)
	objects := func() (n int) {
		files, _ := filepath.Glob(p.open().path("git", "objects", "??", "*"))
		for _, f := range files {
			if err := os.Chtimes(f, old, old); err != nil {
				t.Fatal(err)
			}
		}
		return len(files)
	}
	had := objects()
	if err := p.open().RemoveOld(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := p.steps(); got != "M a.txt" {
		t.Errorf("steps %q", got)
	}
	if objects() >= had {
		t.Error("nothing was thrown away")
	}
	if _, err := p.open().Undo(t.Context(), "", false); err != nil {
		t.Fatal(err)
	}
	if got := p.files()["a.txt"]; got != "-rw-r--r-- older\n" {
		t.Errorf("got %q", got)
	}
	if p.turn(func() {}) { // the index is still complete
		t.Error("nothing made a step")
	}
	out, err := p.open().runShadowGit(t.Context(), nil, "cat-file", "--batch-all-objects", "--batch-check")
	if err != nil || !strings.Contains(string(out), " tree ") || strings.Contains(string(out), " commit ") {
		t.Errorf("objects %s, %v", out, err)
	}
}

// TestKilledProcess checks that a killed process leaves nothing behind that stops the next one.
func TestKilledProcess(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.turn(func() { p.write("a.txt", "x") })
	s := p.open()
	if err := os.WriteFile(s.indexFile()+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !p.turn(func() { p.write("a.txt", "y") }) {
		t.Error("no step")
	}
	if err := p.state.Write(s.pointsFile(), []byte("{torn")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Steps(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "remove ") {
		t.Errorf("a damaged list: %v", err)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := p.open()
	for _, id := range []string{"one", "two"} {
		from, err := s.Capture(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		p.write(id+".txt", id)
		if _, _, err := s.AddPoint(t.Context(), id, id, "turn", from); err != nil {
			t.Fatal(err)
		}
	}
	steps, err := s.Steps(t.Context(), "one")
	if err != nil || len(steps) != 1 || !slices.Equal(steps[0].Files, []Change{{"A", "one.txt"}}) {
		t.Errorf("%+v, %v", steps, err)
	}
	if step, err := s.Undo(t.Context(), "one", false); err != nil || step.Session != "one" {
		t.Errorf("%+v, %v", step, err)
	}
	if got := p.files(); got["one.txt"] != "" || got["two.txt"] == "" {
		t.Errorf("got %q", got)
	}
	if _, err := s.Undo(t.Context(), "one", false); !errors.Is(err, ErrNothing) {
		t.Errorf("got %v", err)
	}
}
