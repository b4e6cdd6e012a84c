package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// helperEnv makes the test binary approve one hook instead of running tests,
// for promises that are about processes.
const helperEnv = "CHECKREIN_TRUST_HELPER"

func TestMain(m *testing.M) {
	name := os.Getenv(helperEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := approveMany(ledger.SealedDir(state.NewDir(os.Args[1])), os.Args[2], name); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// approveMany approves hooks one by one, so that processes compete.
func approveMany(dir state.Dir, root, name string) error {
	for i := range 10 {
		h := commandHook(root, fmt.Sprintf("%s-%d", name, i), "true")
		if _, err := Approve(dir, placeAt(root), noon(), []checkrein.Hook{h}, nil); err != nil {
			return err
		}
	}
	return nil
}

// placeAt returns the place of hooks of the project at root.
func placeAt(root string) coverage.Place {
	return coverage.Place{Root: root, Top: RealPath(root), Home: "/home/me", Environ: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/me"}}
}

// Approve reviews and approves hooks at once. The error names those that could not be approved.
func Approve(dir state.Dir, place coverage.Place, now time.Time, hooks []checkrein.Hook, pick func(*checkrein.Hook) bool) ([]Approval, error) {
	r, err := NewReview(dir, place, now, hooks, pick)
	if err != nil {
		return nil, err
	}
	list, err := r.Approve(nil)
	errs := append(r.Unsound, err)
	for _, it := range r.Items {
		if len(it.Unsure) > 0 {
			errs = append(errs, errors.New("cannot tell: "+strings.Join(it.Unsure, "; ")))
		}
	}
	return list, errors.Join(errs...)
}

func noon() time.Time { return time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) }

// newDir returns a state directory that does not exist yet.
func newDir(t testing.TB) state.Dir {
	t.Helper()
	return ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state")))
}

// commandHook returns a gate of the project at root.
func commandHook(root, name, command string) checkrein.Hook {
	with, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return checkrein.Hook{
		ID: name, Name: name, On: checkrein.PreToolUse, Run: "command", With: with, Priority: hookfile.DefaultPriority,
		From: checkrein.Origin{Scope: checkrein.ScopeProject, File: filepath.Join(root, "checkrein.yaml"), Approval: true},
	}
}

func argvHook(root string, argv ...string) checkrein.Hook {
	with, err := json.Marshal(map[string][]string{"argv": argv})
	if err != nil {
		panic(err)
	}
	h := commandHook(root, "argv", "")
	h.With = with
	return h
}

func writeFile(t testing.TB, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// A project is a repository with its approvals.
type project struct {
	t    testing.TB
	dir  state.Dir
	root string
}

func newProject(t testing.TB) *project {
	t.Helper()
	return &project{t, newDir(t), RealPath(t.TempDir())}
}

func (p *project) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p *project) write(name, content string) {
	p.t.Helper()
	writeFile(p.t, p.path(name), content, 0o755)
}

func (p *project) approve(hooks ...checkrein.Hook) []Approval {
	p.t.Helper()
	list, err := Approve(p.dir, placeAt(p.root), noon(), hooks, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

func (p *project) store(hooks ...checkrein.Hook) *Store {
	p.t.Helper()
	s, err := Load(p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	s.SetPlace(placeAt(p.root))
	s.Bind(hooks)
	return s
}

// checkStates compares the states of hooks, which must be all hooks, with want.
func (p *project) checkStates(hooks []checkrein.Hook, want ...State) {
	p.t.Helper()
	s := p.store(hooks...)
	var got []State
	for i := range hooks {
		state, why, _ := s.Check(&hooks[i])
		if (state == Approved) != (why.String() == "") {
			p.t.Errorf("hook %d: state %d with the reason %q", i, state, why)
		}
		got = append(got, state)
	}
	if !slices.Equal(got, want) {
		p.t.Errorf("got states %v, want %v", got, want)
	}
}

// vanished returns the commands of the approvals whose hooks no longer exist.
func (p *project) vanished(hooks []checkrein.Hook, files ...string) []string {
	p.t.Helper()
	return shown(gone(p.store(hooks...).VanishedApprovals(ConfigRead{Read: files})))
}

func gone(list []VanishedApproval) []Approval {
	var out []Approval
	for _, v := range list {
		out = append(out, v.Approval)
	}
	return out
}

func shown(list []Approval) []string {
	names := []string{}
	for _, a := range list {
		names = append(names, a.Runs)
	}
	return names
}
