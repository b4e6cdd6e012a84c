package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A testMachine is a temporary machine: a home directory, a project and a state directory.
type testMachine struct {
	t    *testing.T
	root string
}

func newTestMachine(t *testing.T) testMachine {
	t.Helper()
	return testMachine{t, t.TempDir()}
}

func (p testMachine) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p testMachine) write(name, text string) string {
	p.t.Helper()
	path := p.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// writeUser, writeProject and writeManaged write the file of a scope.
func (p testMachine) writeUser(text string) string {
	return p.write("home/.config/checkrein/checkrein.yaml", text)
}
func (p testMachine) writeProject(text string) string { return p.write("project/checkrein.yaml", text) }
func (p testMachine) writeManaged(text string) string { return p.write("etc/checkrein.yaml", text) }

func (p testMachine) options() app.Options {
	p.t.Helper()
	if err := os.MkdirAll(p.path("project"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	return app.Options{Dir: p.path("project"), State: p.path("state"), Managed: p.path("etc"), Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.path("home")}}
}

func (p testMachine) open(change ...func(*app.Options)) *app.Kit {
	p.t.Helper()
	opts := p.options()
	for _, c := range change {
		c(&opts)
	}
	k, err := app.Open(opts)
	if err != nil {
		p.t.Fatal(err)
	}
	return k
}

// decide opens a kit, as each call of a host does, and decides ev.
func (p testMachine) decide(ev checkrein.Event) engine.Outcome {
	p.t.Helper()
	return p.open().Decide(p.t.Context(), ev)
}

// approveAll approves all hooks as they are.
func (p testMachine) approveAll() {
	p.t.Helper()
	if _, err := p.open().Approve(nil); err != nil {
		p.t.Fatal(err)
	}
}

// newShellCall returns an event with a shell call in a session.
func newShellCall(session string) checkrein.Event {
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: session}, Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"cmd":"ls"}`)}}
}

// ruleFile returns a native file with one rule on an event.
func ruleFile(event, name, decision string) string {
	return "version: 1\nhooks:\n  " + event + ": {name: " + name + ", type: rule, decision: " + decision + ", reason: " + name + "}\n"
}

func wantDecision(t *testing.T, out engine.Outcome, want checkrein.Decision) {
	t.Helper()
	if got := out.Verdict.Decision; got != want {
		t.Errorf("got %v, want %v\n%s", got, want, out.JSON(true))
	}
}

func wantText(t *testing.T, got, part string) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Errorf("got %q, want %q in it", got, part)
	}
}
