package install_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	codex "github.com/checkrein/checkrein/internal/host/codex/setup"
	"github.com/checkrein/checkrein/internal/host/install"
)

// A codexLab is a machine with Codex. The test trusts entries in Codex as a user does.
type codexLab struct {
	lab
	hooks, config string
}

func newCodex(t *testing.T) codexLab {
	l := newLab(t)
	dir := filepath.Join(l.Home, ".codex")
	return codexLab{l, filepath.Join(dir, "hooks.json"), filepath.Join(dir, "config.toml")}
}

// makeOlder turns the file into that of an older installation.
func (l codexLab) makeOlder() {
	l.t.Helper()
	var b strings.Builder
	for i, e := range l.hostFiles("codex", install.User)[0].Want {
		line := l.Program + " hook codex --within 590"
		if e.Closed {
			line += " || { echo 'checkrein could not be asked, so this is denied: run checkrein status' >&2; exit 2; }"
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "%q: [{\"hooks\": [%s]}]", e.Event, install.EncodeObject(install.GroupForm("codex").Hook(install.Entry{Command: line, Timeout: e.Timeout})))
	}
	l.write(l.hooks, "{\"hooks\": {"+b.String()+"}}\n", 0o600)
}

// trustEntries trusts the current entries for which which returns true, as a user does in Codex.
func (l codexLab) trustEntries(which func(install.Entry) bool) {
	l.t.Helper()
	var b strings.Builder
	for _, e := range l.findEntries("codex", install.User) {
		if which(e) {
			fmt.Fprintf(&b, "[hooks.state.%q]\ntrusted_hash = %q\n", codex.HookStateKey(l.hooks, e), codex.HookStateHash(e))
		}
	}
	before, err := os.ReadFile(l.config)
	if err != nil && !os.IsNotExist(err) {
		l.t.Fatal(err)
	}
	l.write(l.config, string(before)+b.String(), 0o600)
}

// runningLines returns the command lines that Codex runs on an event.
func (l codexLab) runningLines(event string) (out []string) {
	l.t.Helper()
	for _, e := range l.findEntries("codex", install.User) {
		if e.Event == event && codex.IsTrusted(install.ReadTOML(l.config), l.hooks, e) {
			out = append(out, e.Command)
		}
	}
	return out
}

// TestCodexRenewal checks that a trusted entry runs until its successor does, so that one always runs.
func TestCodexRenewal(t *testing.T) {
	t.Parallel()
	l := newCodex(t)
	l.makeOlder()
	l.trustEntries(func(install.Entry) bool { return true })
	want := l.hostFiles("codex", install.User)[0].Want
	always := func(step string) {
		t.Helper()
		for _, w := range want {
			if len(l.runningLines(w.Event)) == 0 {
				t.Fatalf("%s: nothing runs on %s\n%s", step, w.Event, l.read(l.hooks))
			}
		}
	}
	status := func(state install.State, why string) {
		t.Helper()
		r, err := l.Status("codex")
		if err != nil || r.Trusted.State != state || !strings.Contains(r.Trusted.Why, why) || len(r.Problems) > 0 {
			t.Errorf("status: %+v %q, %v; want %s, %s", r.Trusted, r.Problems, err, state, why)
		}
	}
	always("before")
	status(install.Yes, "")

	p := l.install("codex", install.Options{Scope: install.User})
	always("installed")
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "stay active until you trust the new ones") || !strings.Contains(notes, "/hooks") {
		t.Errorf("it does not say what to do: %q", notes)
	}
	if got := l.runningLines("PreToolUse"); len(got) != 1 || strings.Contains(got[0], "--config") {
		t.Errorf("what runs is %q", got)
	}
	status(install.NotYet, "older lines")
	if again := l.install("codex", install.Options{Scope: install.User}); len(again.Changes) != 0 {
		t.Errorf("installing again changes\n%s", again.Diff())
	}

	l.trustEntries(func(e install.Entry) bool { return e.Event == "PreToolUse" && e.Group == 1 })
	always("one is trusted")
	if got := l.runningLines("PreToolUse"); len(got) != 2 {
		t.Errorf("what runs is %q", got)
	}
	status(install.NotYet, "older lines")
	l.install("codex", install.Options{Scope: install.User})
	always("one is renewed")
	if got := l.runningLines("PreToolUse"); len(got) != 1 || !strings.Contains(got[0], "--config") {
		t.Errorf("what runs is %q", got)
	}

	l.trustEntries(func(e install.Entry) bool { return e.Group == 1 && e.Event != "PreToolUse" })
	status(install.Yes, "both run")
	p = l.install("codex", install.Options{Scope: install.User})
	if !strings.Contains(strings.Join(p.Notes, "\n"), "the older ones will be removed") {
		t.Errorf("notes: %q", p.Notes)
	}
	always("all are renewed")
	l.checkEntries("codex", install.User)
	for _, w := range want {
		if got := l.runningLines(w.Event); !slices.Equal(got, []string{w.Command}) {
			t.Errorf("%s: what runs is %q", w.Event, got)
		}
	}
	status(install.Yes, "says that you trust each of them")
	if again := l.install("codex", install.Options{Scope: install.User}); len(again.Changes) != 0 {
		t.Errorf("installing again changes\n%s", again.Diff())
	}
	if r, err := l.Status("codex"); err != nil || len(r.Installed[0].Notes) != 0 {
		t.Errorf("status: %+v, %v", r.Installed, err)
	}
	l.uninstall("codex", install.Options{Scope: install.User})
	if _, err := os.Stat(l.hooks); !os.IsNotExist(err) {
		t.Errorf("uninstall leaves %s", l.read(l.hooks))
	}
}

// TestCodexRenewalKeepsPositions checks that other hooks after checkrein's stay unchanged and keep
// their positions, and so their trust.
func TestCodexRenewalKeepsPositions(t *testing.T) {
	t.Parallel()
	l := newCodex(t)
	const mine = `{"hooks": [{"type": "command", "command": "./mine.sh", "timeout": 5}]}`
	old := `{"hooks": [{"type": "command", "command": "` + l.Program + ` hook codex --within 590", "timeout": 600}]}`
	l.write(l.hooks, `{"hooks": {"PreToolUse": [`+old+`, `+mine+`]}}`+"\n", 0o600)
	l.trustEntries(func(install.Entry) bool { return true })
	l.install("codex", install.Options{Scope: install.User})
	l.trustEntries(func(e install.Entry) bool { return e.Group == 2 })
	l.install("codex", install.Options{Scope: install.User})
	if got := install.SettingText(l.hooks, "hooks", "PreToolUse"); !strings.HasPrefix(got, `[{"matcher": "`+install.PlaceMark+`", "hooks": []}, `+mine) {
		t.Errorf("got %s", got)
	}
	if got := l.runningLines("PreToolUse"); len(got) != 1 {
		t.Errorf("what runs is %q", got)
	}
	l.uninstall("codex", install.Options{Scope: install.User})
	if got, want := standardJSON(t, l.read(l.hooks)), standardJSON(t, `{"hooks": {"PreToolUse": [`+mine+`]}}`); got != want {
		t.Errorf("uninstall leaves %s", got)
	}
}

// TestCodexRenewalWithoutTrust checks that an entry that was never trusted is replaced, because it
// does not run.
func TestCodexRenewalWithoutTrust(t *testing.T) {
	t.Parallel()
	l := newCodex(t)
	l.makeOlder()
	l.install("codex", install.Options{Scope: install.User})
	l.checkEntries("codex", install.User)
}

// TestHermesRenewal checks that an accepted entry stays until its successor is accepted. Hermes stores
// acceptance by event and command line, and silently skips other entries.
func TestHermesRenewal(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	now := l.Config
	l.Config = "" // as older builds wrote it
	l.install("hermes", install.Options{Scope: install.User})
	l.Config = now
	accept := func() {
		t.Helper()
		var list []string
		for _, e := range l.findEntries("hermes", install.User) {
			list = append(list, string(install.EncodeObject(install.NewMembers("event", e.Event, "command", e.Command))))
		}
		l.write(filepath.Join(l.Home, ".hermes", "shell-hooks-allowlist.json"), `{"approvals": [`+strings.Join(list, ",")+`]}`, 0o600)
	}
	accept()
	p := l.install("hermes", install.Options{Scope: install.User})
	want := l.hostFiles("hermes", install.User)[0].Want
	if have := l.findEntries("hermes", install.User); len(have) != 2*len(want) || !strings.Contains(strings.Join(p.Notes, "\n"), "start hermes once and accept them") {
		t.Errorf("%d entries, want each twice: %q", len(have), p.Notes)
	}
	if text := l.read(l.hostFiles("hermes", install.User)[0].Path); strings.Count(text, "fail_closed: true") != 2 {
		t.Errorf("an older gate lost something:\n%s", text)
	}
	if again := l.install("hermes", install.Options{Scope: install.User}); len(again.Changes) != 0 {
		t.Errorf("installing again changes\n%s", again.Diff())
	}
	if r, err := l.Status("hermes"); err != nil || r.Trusted.State != install.NotYet || !strings.Contains(r.Trusted.Why, "older lines") {
		t.Errorf("status: %+v, %v", r.Trusted, err)
	}
	accept()
	l.install("hermes", install.Options{Scope: install.User})
	l.checkEntries("hermes", install.User)
	l.uninstall("hermes", install.Options{Scope: install.User})
	if _, err := os.Stat(l.hostFiles("hermes", install.User)[0].Path); !os.IsNotExist(err) {
		t.Errorf("uninstall leaves something: %v", err)
	}
}
