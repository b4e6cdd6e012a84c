package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/usage"
)

// A machine is a home directory and an environment that do not depend on the machine on which the test
// runs.
type machine struct {
	t   *testing.T
	env Env
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	home := guardtest.TempDir(t)
	return &machine{t: t, env: Env{Machine: builtin.Machine{
		Environ: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SHELL=/bin/testsh", "SystemRoot=" + os.Getenv("SystemRoot"),
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com",
			"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
		},
		Home: home,
		Now:  func() time.Time { return time.Date(2026, 3, 4, 23, 59, 0, 0, time.Local) },
		Run:  guardtest.RunProgram,
	}}}
}

// answer runs a builtin as the engine would and returns its answer.
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

// contextOf returns the context that the builtin name adds for the directory dir, or "" if there is
// none.
func (m *machine) contextOf(dir, name string, args ...string) string {
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

// git runs git without checkrein's protective options.
func (m *machine) git(dir string, args ...string) string {
	m.t.Helper()
	out, err := m.tryGit(dir, args...)
	if err != nil {
		m.t.Fatalf("git %q: %v", args, err)
	}
	return out
}

// tryGit runs git with its output redirected to files, because background processes of git, such as
// maintenance after a commit, would keep a pipe open.
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

// newRepo creates a repository on branch main with one commit of the files.
func (m *machine) newRepo(files map[string]string) string {
	m.t.Helper()
	dir := guardtest.TempDir(m.t)
	m.git(dir, "init", "-q")
	m.git(dir, "symbolic-ref", "HEAD", "refs/heads/main")
	for name, body := range files {
		guardtest.WriteFile(m.t, filepath.Join(dir, name), body)
	}
	m.git(dir, "add", "-A")
	m.git(dir, "commit", "-q", "--allow-empty", "-m", "first commit")
	return dir
}

// A desk holds the state and the lines of the builtins in a test.
type desk struct {
	t     *testing.T
	kept  map[string][]byte
	files map[string][]string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return &desk{t, map[string][]byte{}, map[string][]string{}}
}

func (d *desk) env() Env {
	key := func(ev *checkrein.Event, name string) string { return name + " " + ev.Session.ID }
	return Env{Machine: builtin.Machine{
		Home: "/home/u",
		Now:  func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
		Keep: func(ev *checkrein.Event, name string, _ time.Duration, v any, change func() error) error {
			reflect.ValueOf(v).Elem().SetZero()
			if ev.Session.ID == "" {
				return change()
			}
			if old, ok := d.kept[key(ev, name)]; ok {
				if err := json.Unmarshal(old, v); err != nil {
					d.t.Fatal(err)
				}
			}
			if err := change(); err != nil {
				return err
			}
			var err error
			d.kept[key(ev, name)], err = json.Marshal(v)
			return err
		},
		Forget: func(ev *checkrein.Event, name string) error { delete(d.kept, key(ev, name)); return nil },
	}, Usage: usage.Env{
		AddLine: func(file string, line []byte) error { d.files[file] = append(d.files[file], string(line)); return nil },
	}}
}

// runBuiltin creates a builtin, as a new process would, and runs it.
func (d *desk) runBuiltin(ev checkrein.Event, name string, args ...string) checkrein.Verdict {
	d.t.Helper()
	v, err := d.tryBuiltin(d.env(), ev, name, args...)
	if err != nil {
		d.t.Fatalf("%s %q: %v", name, args, err)
	}
	return v
}

func (d *desk) tryBuiltin(env Env, ev checkrein.Event, name string, args ...string) (checkrein.Verdict, error) {
	d.t.Helper()
	row, ok := Lookup(name)
	if !ok {
		d.t.Fatalf("no builtin %s", name)
	}
	f, err := row.New(&env, args)
	if err != nil {
		d.t.Fatalf("%s %q: %v", name, args, err)
	}
	return f(context.Background(), builtin.Call{Event: ev, Dir: ev.Session.Dir, Environ: []string{}, Machine: env.Machine})
}

// verdictOf returns the verdict of the builtin name on ev.
func verdictOf(t *testing.T, name string, args []string, ev checkrein.Event) checkrein.Verdict {
	t.Helper()
	row, ok := Lookup(name)
	if !ok {
		t.Fatalf("no builtin %s", name)
	}
	f, err := row.New(&Env{}, args)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f(context.Background(), builtin.Call{Event: ev, Dir: ev.Session.Dir, Machine: builtin.Machine{Home: "/home/u"}})
	if err != nil {
		t.Fatal(err)
	}
	guardtest.CheckRuleNamed(t, name, &v)
	return v
}
