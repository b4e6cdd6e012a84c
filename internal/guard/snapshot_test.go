package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/sys/snapshot"
	"github.com/checkrein/checkrein/internal/sys/state"
)

func TestSnapshot(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dir := m.newRepo(map[string]string{"a.txt": "one"})
	d, st := newDesk(t), state.NewDir(t.TempDir())
	open := func(ctx context.Context, dir string) (*snapshot.Shadow, error) {
		return snapshot.OpenShadow(ctx, dir, st, m.env.Environ, time.Now)
	}
	env := d.env()
	env.Shadow = open
	fire := func(kind checkrein.Kind, call string) {
		t.Helper()
		ev := checkrein.Event{Kind: kind, Session: checkrein.Session{ID: "s", Dir: dir}}
		if checkrein.ContractOf(kind).Subject == checkrein.SubjectTool {
			ev.Tool = &checkrein.Tool{Name: "Bash", CallID: call}
		}
		if v, err := d.tryBuiltin(env, ev, "snapshot"); err != nil || !v.IsZero() {
			t.Fatalf("%v: %+v, %v", kind, v, err)
		}
	}
	steps := func() string {
		t.Helper()
		s, err := open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.Steps(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, step := range list {
			for _, f := range step.Files {
				out = append(out, step.What+" "+f.Status+" "+f.Path)
			}
		}
		return strings.Join(out, "\n")
	}
	fire(checkrein.SessionStart, "")
	fire(checkrein.TurnEnd, "") // the end of a turn without a beginning
	guardtest.CheckEqual(t, steps(), "")
	fire(checkrein.TurnStart, "")
	guardtest.WriteFile(t, filepath.Join(dir, "a.txt"), "two")
	fire(checkrein.TurnEnd, "")
	guardtest.CheckEqual(t, steps(), "turn M a.txt")
	fire(checkrein.TurnStart, "")
	fire(checkrein.TurnEnd, "")
	guardtest.CheckEqual(t, steps(), "turn M a.txt")

	// Two concurrent calls, and one without an id.
	fire(checkrein.PreToolUse, "1")
	fire(checkrein.PreToolUse, "2")
	fire(checkrein.PreToolUse, "")
	guardtest.WriteFile(t, filepath.Join(dir, "b.txt"), "x")
	fire(checkrein.PostToolUse, "1")
	fire(checkrein.PostToolUseFailure, "2")
	fire(checkrein.PostToolUse, "")
	guardtest.CheckEqual(t, steps(), "turn M a.txt\nBash A b.txt\nBash A b.txt")

	// Hosts without turns.
	fire(checkrein.UserPromptSubmit, "")
	guardtest.WriteFile(t, filepath.Join(dir, "c.txt"), "x")
	fire(checkrein.Stop, "")
	guardtest.WriteFile(t, filepath.Join(dir, "d.txt"), "x") // a stop that was refused
	fire(checkrein.Stop, "")
	guardtest.CheckEqual(t, steps(), "turn M a.txt\nBash A b.txt\nBash A b.txt\nturn A c.txt\nturn A d.txt")
	fire(checkrein.SessionEnd, "")
	if len(d.kept) != 0 {
		t.Errorf("it still remembers %s", d.kept)
	}
	guardtest.CheckEqual(t, steps(), "turn M a.txt\nBash A b.txt\nBash A b.txt\nturn A c.txt\nturn A d.txt")
	if out := m.git(dir, "stash", "list") + m.git(dir, "log", "--oneline", "--all", "--format=%s"); out != "first commit" {
		t.Errorf("the repository has %q", out)
	}
}

func TestSnapshotFailures(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	env := d.env()
	asked := 0
	env.Shadow = func(context.Context, string) (*snapshot.Shadow, error) { asked++; return nil, errors.New("disk full") }
	ev := checkrein.Event{Kind: checkrein.TurnStart, Session: checkrein.Session{ID: "s", Dir: t.TempDir()}}
	if v, err := d.tryBuiltin(env, ev, "snapshot"); err != nil || !v.IsZero() || asked != 0 {
		t.Errorf("outside of a repository: %+v, %v", v, err)
	}
	if err := os.Mkdir(filepath.Join(ev.Session.Dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := d.tryBuiltin(env, ev, "snapshot"); err == nil {
		t.Error("what cannot be kept is no fault")
	}
	// It must not close a gate.
	ev.Kind, ev.Tool = checkrein.PreToolUse, &checkrein.Tool{Name: "Bash", CallID: "1"}
	if v, err := d.tryBuiltin(env, ev, "snapshot"); err != nil || v.Decision != checkrein.NoOpinion || len(v.Notice) != 1 {
		t.Errorf("at a gate: %+v, %v", v, err)
	}
	asked, ev.Session.ID = 0, ""
	if v, err := d.tryBuiltin(env, ev, "snapshot"); err != nil || !v.IsZero() || asked != 0 {
		t.Errorf("without a session: %+v, %v", v, err)
	}
}
