package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
)

// A machine is a home directory and an environment that know nothing of the
// machine the test runs on.
type machine struct {
	t   *testing.T
	env Env
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	home := realTemp(t)
	return &machine{t: t, env: Env{Machine: Machine{
		Environ: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SHELL=/bin/testsh", "SystemRoot=" + os.Getenv("SystemRoot"),
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com",
			"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
		},
		Home: home,
		Now:  func() time.Time { return time.Date(2026, 3, 4, 23, 59, 0, 0, time.Local) },
		Run:  runProgram,
	}}}
}

func runProgram(ctx context.Context, dir string, env []string, argv ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	return cmd.Output()
}

// answer runs a builtin as the engine would.
func (m *machine) answer(with string, s checkrein.Session) checkrein.Answer {
	m.t.Helper()
	h, err := Type(m.env).New(checkrein.Hook{Run: "builtin", With: json.RawMessage(with)})
	if err != nil {
		m.t.Fatalf("%s: %v", with, err)
	}
	got, err := h.Handle(m.t.Context(), checkrein.Event{Kind: checkrein.SessionStart, Session: s})
	if err != nil {
		m.t.Fatalf("%s: %v", with, err)
	}
	return got
}

// tell returns what a builtin tells the model about a directory, "" for
// nothing.
func (m *machine) tell(dir, name string, args ...string) string {
	m.t.Helper()
	with, _ := json.Marshal(map[string]any{"name": name, "args": args})
	got := m.answer(string(with), checkrein.Session{ID: "s", Dir: dir})
	if got.IsZero() {
		return ""
	}
	only := checkrein.Verdict{Context: got.Context}
	if len(got.Context) != 1 || got.Effects() != only.Effects() || got.Log != "" {
		m.t.Fatalf("%s: want one text and nothing else, got %+v", name, got)
	}
	return got.Context[0]
}

// git runs git without any of our guards.
func (m *machine) git(dir string, args ...string) string {
	m.t.Helper()
	out, err := m.tryGit(dir, args...)
	if err != nil {
		m.t.Fatalf("git %q: %v", args, err)
	}
	return out
}

// tryGit has git write into files: what git leaves running, such as its upkeep
// behind a commit, would keep a pipe open.
func (m *machine) tryGit(dir string, args ...string) (string, error) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 5*time.Minute)
	defer cancel()
	said := m.t.TempDir()
	out, err := os.Create(filepath.Join(said, "out"))
	if err != nil {
		m.t.Fatal(err)
	}
	defer out.Close()
	errs, err := os.Create(filepath.Join(said, "err"))
	if err != nil {
		m.t.Fatal(err)
	}
	defer errs.Close()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, m.env.Environ, out, errs
	if err := cmd.Run(); err != nil {
		why, _ := os.ReadFile(errs.Name())
		return "", fmt.Errorf("%w: %s", err, why)
	}
	text, err := os.ReadFile(out.Name())
	return strings.TrimSpace(string(text)), err
}

// repo makes a repository on branch main with one commit of the files.
func (m *machine) repo(files map[string]string) string {
	m.t.Helper()
	dir := realTemp(m.t)
	m.git(dir, "init", "-q")
	m.git(dir, "symbolic-ref", "HEAD", "refs/heads/main")
	for name, body := range files {
		write(m.t, filepath.Join(dir, name), body)
	}
	m.git(dir, "add", "-A")
	m.git(dir, "commit", "-q", "--allow-empty", "-m", "first commit")
	return dir
}

func write(t *testing.T, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

// realTemp is a temporary directory without links in its path.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// lines joins lines, since raw strings in tables are hard to read.
func lines(l ...string) string { return strings.Join(l, "\n") }

func check(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
