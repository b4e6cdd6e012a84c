package githook

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A lab is a temporary directory with real repositories.
type lab struct {
	t   *testing.T
	dir string
	env []string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &lab{t, dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}}
}

func (l *lab) path(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

func (l *lab) git(dir string, args ...string) {
	l.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = l.path(dir), l.env
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (l *lab) write(name, text string, mode os.FileMode) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(l.path(name)), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(l.path(name), []byte(text), mode); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) read(dir string) *Layer {
	l.t.Helper()
	layer, err := ReadLayer(l.t.Context(), l.path(dir), l.env)
	if err != nil {
		l.t.Fatal(err)
	}
	return layer
}

// summarize returns a short form of l.
func summarize(l *Layer) string {
	var out []string
	for _, h := range l.Hooks {
		s := h.Name
		if h.Executable {
			s += " x"
		}
		if h.Tracked {
			s += " tracked"
		}
		if h.Ours {
			s += " ours"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestLayerWithoutSetting(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if _, err := ReadLayer(t.Context(), l.dir, l.env); !errors.Is(err, ErrNoRepository) {
		t.Errorf("outside of a repository: %v", err)
	}
	l.git(".", "init", "-q", "r")
	l.write("r/.git/hooks/pre-push", "#!/bin/sh\nexec checkrein git pre-push \"$@\"\n", 0o755)
	l.write("r/.git/hooks/pre-commit", "#!/bin/sh\n# checkrein would be here\ntrue\n", 0o644)
	l.write("r/.git/hooks/helper", "true\n", 0o755)
	l.write("r/sub/x", "", 0o644)
	got := l.read("r/sub")
	if got.Top != l.path("r") || got.Path != l.path("r/.git/hooks") || got.Setting != "" || got.Missing {
		t.Errorf("got %+v", got)
	}
	if s := summarize(got); s != "pre-commit, pre-push x ours" || !strings.Contains(got.Hooks[0].Health, "not executable") {
		t.Errorf("hooks %s, %+v", s, got.Hooks)
	}
}

func TestHooksPath(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.git(".", "init", "-q", "r")
	l.write("r/.githooks/pre-push", "checkrein\n", 0o755)
	l.write("r/.githooks/commit-msg", "true\n", 0o755)
	l.git("r", "add", ".githooks/pre-push")
	l.git("r", "config", "core.hooksPath", ".githooks")
	l.write("r/deep/x", "", 0o644)
	got := l.read("r/deep")
	if got.Path != l.path("r/.githooks") || got.Setting != ".githooks" || got.From != l.path("r/.git/config") || summarize(got) != "commit-msg x, pre-push x tracked ours" {
		t.Errorf("got %+v: %s", got, summarize(got))
	}

	// A linked worktree shares the setting, and has its own copy of the directory.
	l.git("r", "commit", "-q", "--no-verify", "-m", "x")
	l.git("r", "worktree", "add", "-q", "../w")
	if got := l.read("w"); got.Path != l.path("w/.githooks") || summarize(got) != "pre-push x tracked ours" {
		t.Errorf("in a worktree: %+v: %s", got, summarize(got))
	}

	l.git("r", "config", "core.hooksPath", "nowhere")
	if got := l.read("r"); !got.Missing || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "nowhere does not exist: git runs no hooks") {
		t.Errorf("a directory that is not there: %+v", got)
	}
	l.write("all/pre-push", "true\n", 0o755)
	l.git("r", "config", "core.hooksPath", l.path("all"))
	if got := l.read("r"); got.Path != l.path("all") || summarize(got) != "pre-push x" {
		t.Errorf("a directory elsewhere: %+v", got)
	}
}

// TestWorktreeAndSubmodule checks that a worktree has the hooks of its repository, and that a
// submodule has its own.
func TestWorktreeAndSubmodule(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.git(".", "init", "-q", "r")
	l.write("r/a", "a", 0o644)
	l.git("r", "add", "a")
	l.git("r", "commit", "-q", "-m", "x")
	l.write("r/.git/hooks/pre-push", "true\n", 0o755)
	l.git("r", "worktree", "add", "-q", "../w")
	if got := l.read("w"); got.Top != l.path("w") || got.Path != l.path("r/.git/hooks") || summarize(got) != "pre-push x" {
		t.Errorf("worktree: %+v", got)
	}
	l.git(".", "init", "-q", "outer")
	l.git("outer", "-c", "protocol.file.allow=always", "submodule", "add", "-q", l.path("r"), "inner")
	if got := l.read("outer/inner"); got.Top != l.path("outer/inner") || got.Path != l.path("outer/.git/modules/inner/hooks") || summarize(got) != "" {
		t.Errorf("submodule: %+v", got)
	}
}
