package install_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/checkrein/checkrein/internal/host/install"
)

// An older installation in a project's shared file moves to the one that is the
// person's alone.
func TestProjectInstallationMoves(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	shared := filepath.Join(l.Project, ".claude", "settings.json")
	local := filepath.Join(l.Project, ".claude", "settings.local.json")
	const team = "{\n  \"model\": \"opus\"\n}\n"
	l.write(shared, team, 0o644)
	before := l.tree()
	old := install.File{Path: shared, Form: install.GroupForm("claude"), Want: []install.Entry{{Event: "PreToolUse", Command: l.Program + " hook claude --within 590", Timeout: 600}}}
	text, err := old.Form.Put([]byte(team), old.Want)
	if err != nil {
		t.Fatal(err)
	}
	l.write(shared, string(text), 0o644)
	r, err := l.Status("claude")
	if err != nil || len(r.Installed) != 1 || !strings.Contains(texts(r.Installed[0].Notes), "run checkrein install claude --scope project") {
		t.Errorf("status: %+v, %v", r, err)
	}
	p := l.install("claude", install.Options{Scope: install.Project})
	if p.Changes[0].Path != local || p.Changes[1].Path != shared || !strings.Contains(strings.Join(p.Notes, "\n"), "entries move from") {
		t.Errorf("%+v %q", p.Changes, p.Notes)
	}
	if got := l.read(shared); got != team {
		t.Errorf("the shared file is\n%s", got)
	}
	l.wantWired("claude", install.Project)
	if r, err := l.Status("claude"); err != nil || len(r.Problems)+len(r.Gone)+len(r.Installed[0].Notes) != 0 {
		t.Errorf("status: %+v, %v", r, err)
	}
	l.uninstall("claude", install.Options{Scope: install.Project})
	if d := cmp.Diff(before, l.tree()); d != "" {
		t.Errorf("uninstall leaves something:\n%s", d)
	}
}

// A project that is the home has the user's installation in what would be its shared
// file: that stays.
func TestProjectIsTheHome(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Project = l.Home
	l.install("claude", install.Options{Scope: install.User})
	l.install("claude", install.Options{Scope: install.Project})
	l.wantWired("claude", install.User)
	l.wantWired("claude", install.Project)
}

func TestSharedFilesAreSaid(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ignored := ""
	l.Committed = func(path string) bool { return filepath.Base(path) != ignored }
	said := func(p *install.Plan, want bool) {
		t.Helper()
		if got := strings.Contains(strings.Join(p.Warnings, "\n"), "git does not ignore"); got != want {
			t.Errorf("%s: %q", p.Host, p.Warnings)
		}
	}
	p := l.install("claude", install.Options{Scope: install.Project})
	said(p, true)
	if strings.Contains(strings.Join(p.Notes, "\n"), "for you alone") {
		t.Errorf("claude has a file of its own for that: %q", p.Notes)
	}
	ignored = "settings.local.json"
	said(l.install("claude", install.Options{Scope: install.Project}), false)
	said(l.install("claude", install.Options{Scope: install.User}), false)
	ignored = "hooks.json"
	p = l.install("cursor", install.Options{Scope: install.Project})
	said(p, false)
	if !strings.Contains(strings.Join(p.Notes, "\n"), "Cursor has no project file that is only for you") {
		t.Errorf("notes: %q", p.Notes)
	}
	ignored = "opencode.js"
	said(l.install("opencode", install.Options{Scope: install.Project}), false)
}

// A line that pins other directories than those of this terminal is told.
func TestOtherPins(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude", "opencode", "hermes", "cline"} {
		l := newLab(t)
		l.install(name, install.Options{Scope: install.User})
		notes := func() string {
			t.Helper()
			r, err := l.Status(name)
			if err != nil || len(r.Installed) != 1 {
				t.Fatalf("%+v, %v", r, err)
			}
			return texts(r.Installed[0].Notes) + texts(r.Installed[0].Elsewhere)
		}
		if got := notes(); got != "" {
			t.Errorf("%s: %s", name, got)
		}
		l.Config = filepath.Join(l.Home, "elsewhere")
		if got := notes(); strings.Count(got, "the agent calls checkrein with --config") != 1 || !strings.Contains(got, "checkrein install "+name+" --scope user") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
