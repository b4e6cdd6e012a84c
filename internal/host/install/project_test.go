package install_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/install"
)

// TestProjectIsTheHome checks that if the project is the home directory, the user's installation in
// the shared file stays.
func TestProjectIsTheHome(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Project = l.Home
	l.install("claude", install.Options{Scope: install.User})
	l.install("claude", install.Options{Scope: install.Project})
	l.checkEntries("claude", install.User)
	l.checkEntries("claude", install.Project)
}

func TestSharedFileWarnings(t *testing.T) {
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

// TestOtherDirectories checks that a command line with directories that this terminal does not use is
// reported.
func TestOtherDirectories(t *testing.T) {
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
			return joinTexts(r.Installed[0].Notes) + joinTexts(r.Installed[0].Elsewhere)
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
