package install_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	codex "github.com/checkrein/checkrein/internal/host/codex/setup"
	"github.com/checkrein/checkrein/internal/host/install"
)

// TestCodexTrust checks that Codex trusts each entry at its position, and that only the user sets
// that.
func TestCodexTrust(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	path := filepath.Join(l.Home, ".codex", "hooks.json")
	config := filepath.Join(l.Home, ".codex", "config.toml")
	l.write(path, codexForeign, 0o600)
	l.install("codex", install.Options{Scope: install.User})
	check := func(enabled, trusted install.State) {
		t.Helper()
		r, err := l.Status("codex")
		if err != nil || r.Enabled.State != enabled || r.Trusted.State != trusted {
			t.Errorf("got %+v %+v, %v; want %s, %s", r.Enabled, r.Trusted, err, enabled, trusted)
		}
	}
	check(install.Yes, install.NotYet)
	var b strings.Builder
	for i, e := range l.findEntries("codex", install.User) {
		e.Group, e.Index = 0, 0
		if e.Event == "PreToolUse" { // another hook comes before it
			e.Group = 1
		}
		key := codex.HookStateKey(path, e)
		switch i % 3 {
		case 0:
			fmt.Fprintf(&b, "[hooks.state.%q]\ntrusted_hash = %q # yes\n", key, codex.HookStateHash(e))
		case 1:
			fmt.Fprintf(&b, "[hooks.state.'%s']\ntrusted_hash='%s'\n", key, codex.HookStateHash(e))
		default:
			fmt.Fprintf(&b, "[hooks.state]\n%q = { trusted_hash = %q }\n", key, codex.HookStateHash(e))
		}
	}
	l.write(config, b.String(), 0o600)
	check(install.Yes, install.Yes)
	l.write(config, strings.Replace(b.String(), ":pre_tool_use:1:0", ":pre_tool_use:0:0", 1), 0o600)
	check(install.Yes, install.NotYet)
	l.write(path, strings.Replace(l.read(path), "--within 590", "--within 59", 1), 0o600)
	l.write(config, b.String(), 0o600)
	check(install.Yes, install.NotYet)
	l.install("codex", install.Options{Scope: install.User})
	l.write(config, b.String()+"\n[features]\nhooks = false\n", 0o600)
	check(install.No, install.Yes)
}

func TestDisabledHooks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, host, file string
		text             string // "" = the text is added to what install wrote
		add              [2]string
		enabled, trusted install.State
	}{
		{"as installed", "claude", "", "", [2]string{}, install.Yes, install.NotNeeded},
		{"switched off", "claude", "~/.claude/settings.json", "", [2]string{`"hooks"`, `"disableAllHooks": true, "hooks"`}, install.No, install.NotNeeded},
		{"switched off here", "claude", "/.claude/settings.local.json", `{"disableAllHooks": true}`, [2]string{}, install.No, install.NotNeeded},
		{"switched off", "qwen", "/.qwen/settings.json", `{"disableAllHooks": true}`, [2]string{}, install.No, install.NotNeeded},
		{"as installed", "gemini", "", "", [2]string{}, install.Yes, install.NotYet},
		{"switched off", "gemini", "/.gemini/settings.json", `{"hooksConfig": {"enabled": false}}`, [2]string{}, install.No, install.NotYet},
		{"switched off by name", "gemini", "/.gemini/settings.json", `{"hooksConfig": {"disabled": ["x", "checkrein"]}}`, [2]string{}, install.No, install.NotYet},
		{"folder trusted", "gemini", "~/.gemini/trustedFolders.json", `{"$PARENT": "TRUST_FOLDER"}`, [2]string{}, install.Yes, install.Yes},
		{"folder not trusted", "gemini", "~/.gemini/trustedFolders.json", `{"$PROJECT": "DO_NOT_TRUST"}`, [2]string{}, install.Yes, install.No},
		{"as installed", "copilot", "", "", [2]string{}, install.Yes, install.NotNeeded},
		{"switched off", "copilot", "~/.copilot/settings.json", `{"disableAllHooks": true}`, [2]string{}, install.No, install.NotNeeded},
		{"as installed", "openclaw", "", "", [2]string{}, install.Yes, install.Yes},
		{"not on the list", "openclaw", "~/.openclaw/openclaw.json", "", [2]string{`"plugins": {`, `"plugins": {"allow": ["x"],`}, install.Yes, install.NotYet},
		{"on the list", "openclaw", "~/.openclaw/openclaw.json", "", [2]string{`"plugins": {`, `"plugins": {"allow": ["x", "checkrein"],`}, install.Yes, install.Yes},
		{"plugins off", "openclaw", "~/.openclaw/openclaw.json", "", [2]string{`"plugins": {`, `"plugins": {"enabled": false,`}, install.No, install.Yes},
		{"as installed", "hermes", "", "", [2]string{}, install.Yes, install.NotYet},
		{"accepted for ever", "hermes", "~/.hermes/config.yaml", "", [2]string{"hooks:\n", "hooks_auto_accept: true\nhooks:\n"}, install.Yes, install.Yes},
	} {
		t.Run(tt.host+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.install(tt.host, install.Options{Scope: install.User})
			if tt.file != "" {
				path, _ := l.hostPath(tt.file)
				text := strings.NewReplacer("$PROJECT", l.Project, "$PARENT", filepath.Dir(l.Project)).Replace(tt.text)
				if text == "" {
					text = strings.Replace(l.read(path), tt.add[0], tt.add[1], 1)
				}
				l.write(path, text, 0o600)
			}
			r, err := l.Status(tt.host)
			if err != nil || r.Enabled == nil || r.Enabled.State != tt.enabled || r.Trusted.State != tt.trusted {
				t.Fatalf("got %+v, %v", r, err)
			}
			if broken := len(r.Problems) > 0; broken != (tt.enabled == install.No) {
				t.Errorf("problems: %q", r.Problems)
			}
			for _, c := range []*install.Check{r.Enabled, r.Trusted} {
				if (c.State == install.No || c.State == install.NotYet) && c.Why == "" {
					t.Errorf("%s, and no word why", c.State)
				}
			}
		})
	}
}

func TestHermesConsent(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install("hermes", install.Options{Scope: install.User})
	var list []string
	for _, e := range l.findEntries("hermes", install.User) {
		list = append(list, string(install.EncodeObject(install.NewMembers("event", e.Event, "command", e.Command))))
	}
	allow := filepath.Join(l.Home, ".hermes", "shell-hooks-allowlist.json")
	for n, want := range map[int]install.State{len(list): install.Yes, 1: install.NotYet} {
		l.write(allow, `{"approvals": [`+strings.Join(list[:n], ",")+`]}`, 0o600)
		if r, err := l.Status("hermes"); err != nil || r.Trusted.State != want {
			t.Errorf("%d approvals: %+v, %v", n, r.Trusted, err)
		}
	}
}

func TestCopilotTrustOfAProject(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install("copilot", install.Options{Scope: install.Project})
	if r, err := l.Status("copilot"); err != nil || r.Trusted.State != install.NotYet {
		t.Errorf("got %+v, %v", r.Trusted, err)
	}
	l.write(filepath.Join(l.Home, ".copilot", "config.json"), `{"trusted_folders": [`+string(install.EncodeJSON(l.Project))+`]}`, 0o600)
	if r, err := l.Status("copilot"); err != nil || r.Trusted.State != install.Yes {
		t.Errorf("got %+v, %v", r.Trusted, err)
	}
}

func TestTwoScopes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install("codex", install.Options{Scope: install.User})
	_, err := l.PlanInstall("codex", install.Options{Scope: install.Project})
	if !errors.Is(err, install.ErrTwice) || !strings.Contains(err.Error(), "uninstall codex --scope user") {
		t.Errorf("got %v", err)
	}
	l.install("codex", install.Options{Scope: install.Project, Force: true})
	l.install("codex", install.Options{Scope: install.Project}) // already installed, so no second call is reported
	r, err := l.Status("codex")
	if err != nil || len(r.Installed) != 2 || !strings.Contains(joinTexts(r.Notes), "calls checkrein twice") {
		t.Errorf("status: %+v, %v", r, err)
	}

	l.install("claude", install.Options{Scope: install.User})
	if p := l.install("claude", install.Options{Scope: install.Project}); len(p.Warnings) != 0 || len(p.Notes) != 1 {
		t.Errorf("claude runs it once: %q, %q", p.Warnings, p.Notes)
	}
	for _, name := range []string{"cursor", "copilot"} {
		p := l.install(name, install.Options{Scope: install.User})
		if !strings.Contains(strings.Join(p.Warnings, "\n"), "may also load the hooks of Claude Code") {
			t.Errorf("%s: %q", name, p.Warnings)
		}
	}
	if p := l.install("claude", install.Options{Scope: install.User}); len(p.Warnings) != 2 {
		t.Errorf("claude after cursor and copilot: %q", p.Warnings)
	}
	l.write(filepath.Join(l.Home, ".codex", "config.toml"), "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"checkrein hook codex\" }]\n", 0o600)
	if p := l.install("codex", install.Options{Scope: install.User}); !strings.Contains(strings.Join(p.Warnings, "\n"), "config.toml calls checkrein too") {
		t.Errorf("got %q", p.Warnings)
	}
}

func TestBrokenPrograms(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install("claude", install.Options{Scope: install.User})
	problem := func(want string) {
		t.Helper()
		r, err := l.Status("claude")
		if err != nil {
			t.Fatal(err)
		}
		if got := joinTexts(r.Problems); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	problem("")
	beside := filepath.Join(l.Home, "bin", install.Exe(install.Companion))
	if err := os.Remove(beside); err != nil {
		t.Fatal(err)
	}
	problem("checkreind is not in the same directory as")
	if err := os.Chmod(l.Program, 0o600); err != nil {
		t.Fatal(err)
	}
	problem("is not executable")
	if err := os.Remove(l.Program); err != nil {
		t.Fatal(err)
	}
	problem("does not exist")

	l.Program = filepath.Join(l.Home, "other", install.Exe("checkrein"))
	l.write(l.Program, "", 0o755)
	l.write(filepath.Join(l.Home, "bin", install.Exe("checkrein")), "", 0o755)
	l.write(beside, "", 0o755)
	r, err := l.Status("claude")
	if err != nil || len(r.Problems) != 0 || !strings.Contains(joinTexts(r.Installed[0].Notes), "not the checkrein that is running now") {
		t.Errorf("got %+v, %v", r, err)
	}
	l.write(filepath.Join(l.Home, ".claude", "settings.json"), "{", 0o600)
	problem("the file is not valid JSON")
}

func TestMissingEvents(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install("claude", install.Options{Scope: install.User})
	path := filepath.Join(l.Home, ".claude", "settings.json")
	l.write(path, strings.Replace(l.read(path), `"PreToolUse"`, `"Elsewhere"`, 1), 0o600)
	r, err := l.Status("claude")
	if err != nil || len(r.Installed) != 1 || strings.Join(r.Installed[0].Missing, " ") != "PreToolUse" {
		t.Fatalf("got %+v, %v", r, err)
	}
	l.install("claude", install.Options{Scope: install.User})
	l.checkEntries("claude", install.User)

	l.install("opencode", install.Options{Scope: install.User})
	l.write(filepath.Join(l.Home, ".config", "opencode", "opencode.json"), "{}", 0o600)
	if r, err := l.Status("opencode"); err != nil || !strings.Contains(joinTexts(r.Problems), "does not list the plugin") {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestKiroAgents(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	dir := filepath.Join(l.Home, ".kiro", "agents")
	l.write(filepath.Join(dir, "a.json"), `{"name": "a"}`, 0o600)
	l.write(filepath.Join(dir, "b.json"), `{"name": "b", "hooks": {"stop": [{"command": "x"}]}}`, 0o600)
	before := l.snapshot()
	l.install("kiro", install.Options{Scope: install.User})
	l.checkEntries("kiro", install.User)
	l.write(filepath.Join(dir, "c.json"), `{"name": "c"}`, 0o600)
	if r, err := l.Status("kiro"); err != nil || !strings.Contains(joinTexts(r.Installed[0].Notes), "c.json has no checkrein hooks") {
		t.Errorf("got %+v, %v", r, err)
	}
	if err := os.Remove(filepath.Join(dir, "c.json")); err != nil {
		t.Fatal(err)
	}
	l.uninstall("kiro", install.Options{Scope: install.User})
	if after := l.snapshot(); len(after) != len(before) || after["/home/.kiro/agents/a.json"] != before["/home/.kiro/agents/a.json"] {
		t.Errorf("uninstall does not restore: %q", after)
	}
}

func TestPresent(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if got := l.PresentHosts(); len(got) != 0 {
		t.Errorf("an empty machine has %q", got)
	}
	l.write(filepath.Join(l.Home, ".codex", "config.toml"), "", 0o600)
	bin := filepath.Join(l.Home, "bin")
	l.write(filepath.Join(bin, install.Exe("gemini")), "", 0o755)
	l.Getenv = func(name string) string {
		return map[string]string{"PATH": "relative" + string(os.PathListSeparator) + bin}[name]
	}
	if got := strings.Join(l.PresentHosts(), " "); got != "codex gemini" {
		t.Errorf("got %q", got)
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install("claude", install.Options{Scope: install.User})
	path := filepath.Join(l.Home, ".claude", "settings.json")
	l.write(path, strings.ReplaceAll(l.read(path), "--within 590", "--within 5"), 0o600)
	r, err := l.Status("claude")
	if err != nil || !strings.Contains(joinTexts(r.Installed[0].Notes), "differs from what this version would write") {
		t.Errorf("got %+v, %v", r, err)
	}
	l.install("claude", install.Options{Scope: install.User})
	if r, err := l.Status("claude"); err != nil || len(r.Installed[0].Notes) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestClineScriptsAreExecutable checks that a script that is not executable is reported, because Cline
// skips it.
func TestClineScriptsAreExecutable(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install("cline", install.Options{Scope: install.User})
	path := l.hostFiles("cline", install.User)[0].Path
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := l.Status("cline"); err != nil || !strings.Contains(joinTexts(r.Problems), "is not executable") {
		t.Errorf("got %+v, %v", r, err)
	}
	l.install("cline", install.Options{Scope: install.User})
	if r, err := l.Status("cline"); err != nil || len(r.Problems) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestOpenClawSettingsStay checks that the user's own settings of the OpenClaw plugin stay.
func TestOpenClawSettingsStay(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	path := filepath.Join(l.Home, ".openclaw", "openclaw.json")
	l.write(path, `{"plugins": {"entries": {"checkrein": {"enabled": false, "mine": 1}}}}`, 0o600)
	p := l.install("openclaw", install.Options{Scope: install.User})
	if got := install.SettingText(path, "plugins", "entries", "checkrein"); got != `{"enabled": true, "mine": 1, "hooks": {"allowConversationAccess": true}}` {
		t.Errorf("got %s\n%s", got, p.Diff())
	}
	l.write(path, strings.Replace(l.read(path), `"allowConversationAccess": true`, `"allowConversationAccess": false`, 1), 0o600)
	if r, err := l.Status("openclaw"); err != nil || r.Enabled.State != install.Yes || !strings.Contains(r.Enabled.Why, "allowConversationAccess") {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestOpenCodePluginsAfterOurs(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install("opencode", install.Options{Scope: install.User})
	path := filepath.Join(l.Home, ".config", "opencode", "opencode.json")
	l.write(path, strings.Replace(l.read(path), `plugin.js"`, `plugin.js", "later"`, 1), 0o600)
	if r, err := l.Status("opencode"); err != nil || !strings.Contains(joinTexts(r.Installed[0].Notes), `can change what it has already checked: "later"`) {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestAHPDocument(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p, err := l.PlanInstall("ahp", install.Options{Scope: install.User})
	if err != nil || len(p.Changes) != 0 {
		t.Fatalf("got %+v, %v", p, err)
	}
	for _, want := range []string{`"protocolVersion": "0.1"`, `"tool.before"`, `"fail-closed"`, string(install.EncodeJSON(l.Program))} {
		if !strings.Contains(p.Print, want) {
			t.Errorf("there is no %s in\n%s", want, p.Print)
		}
	}
}

// TestSilentMessage checks that one call that checkrein was not asked about is described as one.
func TestSilentMessage(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.Local)
	one := install.Silent{Since: at, Last: at, Calls: 1, Sessions: 1}
	r := install.Report{Host: "codex", Title: "Codex CLI"}
	if got, want := one.Message(&r).Sentences(), "1 call ran at 2026-11-15 12:00:00, and checkrein was not asked about it, but about other calls"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	more := install.Silent{Since: at, Last: at.Add(time.Minute), Calls: 3, Sessions: 2}
	if got, want := more.Message(&r).Sentences(), "3 calls ran in 2 sessions from 2026-11-15 12:00:00 to 2026-11-15 12:01:00, and checkrein was not asked about them, but about other calls"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
