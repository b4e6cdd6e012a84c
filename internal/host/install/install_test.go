package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
)

func TestEveryHostCanBeInstalled(t *testing.T) {
	t.Parallel()
	m := &install.Machine{Hosts: host.Table(), Specs: setups.Installs()}
	for _, h := range host.Table() {
		if _, _, err := m.SpecNamed(h.Name); err != nil {
			t.Errorf("host %s: %v", h.Name, err)
		}
	}
}

// foreign lists contents that a user may have in a host's file, by host and scope.
var foreign = []struct {
	host, file, text string
	edit             [2]string // a later change by the user: the old and the new text
}{
	{"claude", "~/.claude/settings.json", claudeForeign, [2]string{"mine.sh", "yours.sh"}},
	{"claude", "/.claude/settings.local.json", strings.ReplaceAll(claudeForeign, "\n", "\r\n"), [2]string{"mine.sh", "yours.sh"}},
	{"claude", "~/.claude/settings.json", `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`, [2]string{"opus", "sonnet"}},
	{"claude", "~/.claude/settings.json", "\ufeff{\n\t\"model\": \"opus\"\n}", [2]string{"opus", "sonnet"}},
	{"claude", "~/.claude/settings.json", "", [2]string{}},
	{"claude", "~/.claude/settings.json", "{}", [2]string{}},
	{"codex", "~/.codex/hooks.json", codexForeign, [2]string{"mine.sh", "yours.sh"}},
	{"codex", "/.codex/hooks.json", codexForeign, [2]string{"mine.sh", "yours.sh"}},
	{"gemini", "~/.gemini/settings.json", geminiForeign, [2]string{"dark", "light"}},
	{"gemini", "/.gemini/settings.json", geminiForeign, [2]string{"dark", "light"}},
	{"qwen", "~/.qwen/settings.json", geminiForeign, [2]string{"dark", "light"}},
	{"qwen", "/.qwen/settings.json", geminiForeign, [2]string{"dark", "light"}},
	{"copilot", "~/.copilot/hooks/checkrein.json", flatForeign, [2]string{"mine.sh", "yours.sh"}},
	{"cursor", "~/.cursor/hooks.json", flatForeign, [2]string{"mine.sh", "yours.sh"}},
	{"cursor", "/.cursor/hooks.json", flatForeign, [2]string{"mine.sh", "yours.sh"}},
	{"windsurf", "~/.codeium/windsurf/hooks.json", flatForeign, [2]string{"mine.sh", "yours.sh"}},
	{"windsurf", "/.windsurf/hooks.json", flatForeign, [2]string{"mine.sh", "yours.sh"}},
	{"kiro", "~/.kiro/agents/mine.json", `{"name": "mine", "tools": ["*"]}`, [2]string{`["*"]`, "[]"}},
	{"opencode", "~/.config/opencode/opencode.json", opencodeForeign, [2]string{"dark", "light"}},
	{"opencode", "~/.config/opencode/opencode.jsonc", opencodeForeign, [2]string{"dark", "light"}},
	{"opencode", "/opencode.json", `{"$schema": "x", "plugin": ["a", "./b.js"]}`, [2]string{"./b.js", "./c.js"}},
	{"openclaw", "~/.openclaw/openclaw.json", openclawForeign, [2]string{"18789", "18790"}},
	{"grok", "~/.grok/hooks/checkrein.json", claudeForeign, [2]string{"mine.sh", "yours.sh"}},
	{"droid", "~/.factory/settings.json", claudeForeign, [2]string{"mine.sh", "yours.sh"}},
	{"droid", "~/.factory/hooks.json", `{"PreToolUse": [{"hooks": [{"type": "command", "command": "mine.sh"}]}]}`, [2]string{"mine.sh", "yours.sh"}},
	{"kimi", "~/.kimi/config.toml", kimiForeign, [2]string{"mine.sh", "yours.sh"}},
	{"kimi", "~/.kimi/config.toml", "theme = \"dark\"\nhooks = []\n\n[loop]\nx = 1", [2]string{"dark", "light"}},
	{"hermes", "~/.hermes/config.yaml", hermesForeign, [2]string{"mine.sh", "yours.sh"}},
	{"hermes", "~/.hermes/config.yaml", "model: x # a model\nhooks: {} # none yet\nlast: 1", [2]string{"model: x", "model: y"}},
	{"hermes", "~/.hermes/config.yaml", "hooks:\n  pre_tool_call:\n  - command: mine.sh\n  # the end\nmodel: x\n", [2]string{"mine.sh", "yours.sh"}},
}

func (l lab) hostPath(name string) (string, install.Scope) {
	if rest, ok := strings.CutPrefix(name, "~"); ok {
		return filepath.Join(l.Home, filepath.FromSlash(rest)), install.User
	}
	return filepath.Join(l.Project, filepath.FromSlash(name)), install.Project
}

func TestOtherContentIsKept(t *testing.T) {
	t.Parallel()
	for _, tt := range foreign {
		t.Run(tt.host+tt.file, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			path, scope := l.hostPath(tt.file)
			o := install.Options{Scope: scope}
			l.write(path, tt.text, 0o640)
			before := l.snapshot()

			p, err := l.PlanInstall(tt.host, o)
			if err != nil {
				t.Fatal(err)
			}
			if p.Diff() == "" || cmp.Diff(before, l.snapshot()) != "" {
				t.Fatalf("a plan shows nothing, or changes something:\n%s", p.Diff())
			}
			l.install(tt.host, o)
			l.checkEntries(tt.host, scope)
			for line := range strings.Lines(tt.text) {
				if word := strings.TrimRight(strings.TrimSpace(line), ",]}"); !strings.Contains(l.read(path), word) && strings.Contains(line, "keep") {
					t.Errorf("%q is gone from\n%s", word, l.read(path))
				}
			}
			if again := l.install(tt.host, o); len(again.Changes) != 0 {
				t.Errorf("installing twice changes\n%s", again.Diff())
			}
			l.uninstall(tt.host, o)
			if d := cmp.Diff(before, l.snapshot()); d != "" {
				t.Errorf("uninstall does not restore:\n%s", d)
			}
			if again := l.uninstall(tt.host, o); len(again.Changes) != 0 {
				t.Errorf("uninstalling twice changes\n%s", again.Diff())
			}
		})
	}
}

// TestEditedFiles checks that only checkrein's entries are removed from a file that was edited after
// the installation.
func TestEditedFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range foreign {
		if tt.edit[0] == "" {
			continue
		}
		t.Run(tt.host+tt.file, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			path, scope := l.hostPath(tt.file)
			o := install.Options{Scope: scope}
			l.write(path, tt.text, 0o640)
			l.install(tt.host, o)
			edited := strings.ReplaceAll(l.read(path), tt.edit[0], tt.edit[1])
			want := strings.ReplaceAll(tt.text, tt.edit[0], tt.edit[1])
			if edited == l.read(path) {
				t.Fatalf("there is no %q in\n%s", tt.edit[0], edited)
			}
			l.write(path, edited, 0o640)
			p := l.uninstall(tt.host, o)
			if len(p.Notes) == 0 || !strings.Contains(strings.Join(p.Notes, "\n"), "changed after checkrein was installed") {
				t.Errorf("it does not say that the file was changed: %q", p.Notes)
			}
			if strings.Contains(l.read(path), "checkrein") {
				t.Errorf("something of ours is left:\n%s", l.read(path))
			}
			got := l.read(path)
			if ext := filepath.Ext(path); ext == ".json" || ext == ".jsonc" {
				got, want = standardJSON(t, got), standardJSON(t, want)
			} else {
				want = strings.Replace(want, "hooks = []\n", "", 1)
				want = strings.Replace(want, "hooks: {} # none yet\n", "", 1)
				got, want = strings.TrimRight(got, "\n"), strings.TrimRight(want, "\n")
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestFreshMachine(t *testing.T) {
	t.Parallel()
	for _, s := range setups.Installs() {
		for _, scope := range s.Scopes {
			if s.Print != nil || s.Name == "kiro" {
				continue
			}
			t.Run(s.Name+"/"+string(scope), func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				before := l.snapshot()
				o := install.Options{Scope: scope}
				p := l.install(s.Name, o)
				l.checkEntries(s.Name, scope)
				if len(p.Changes) == 0 || len(p.Events) == 0 {
					t.Errorf("nothing was done: %+v", p)
				}
				if again := l.install(s.Name, o); len(again.Changes) != 0 {
					t.Errorf("installing twice changes\n%s", again.Diff())
				}
				r, err := l.Status(s.Name)
				if err != nil || len(r.Installed) != 1 || len(r.Problems) != 0 || len(r.Gone) != 0 {
					t.Errorf("status: %+v, %v", r, err)
				}
				l.uninstall(s.Name, o)
				if d := cmp.Diff(before, l.snapshot()); d != "" {
					t.Errorf("uninstall leaves something:\n%s", d)
				}
				if names, _ := l.State.Names("install"); len(names) != 0 {
					t.Errorf("a record is left: %q", names)
				}
			})
		}
	}
}

// TestOlderEntriesAreReplaced checks that an older installation with another path and other flags is
// replaced.
func TestOlderEntriesAreReplaced(t *testing.T) {
	t.Parallel()
	for _, s := range setups.Installs() {
		if s.Print != nil || s.Name == "kiro" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			o := install.Options{Scope: install.User}
			before := l.snapshot()
			now := l.Program
			l.Program = filepath.Join(l.Home, "old place", install.Exe("checkrein"))
			l.install(s.Name, o)
			l.Program = now
			p := l.install(s.Name, o)
			if len(p.Changes) == 0 {
				t.Error("nothing is renewed")
			}
			l.checkEntries(s.Name, install.User)
			l.uninstall(s.Name, o)
			if d := cmp.Diff(before, l.snapshot()); d != "" {
				t.Errorf("uninstall leaves something:\n%s", d)
			}
		})
	}
}

func TestEntriesByHandAreTakenOver(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	path := filepath.Join(l.Home, ".claude", "settings.json")
	l.write(path, `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "checkrein hook claude"}, {"type": "command", "command": "sudo checkrein hook claude"}]}]}}`, 0o600)
	p := l.install("claude", install.Options{Scope: install.User})
	l.checkEntries("claude", install.User)
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "sudo checkrein hook claude") {
		t.Errorf("warnings: %q", p.Warnings)
	}
	r, err := l.Status("claude")
	if err != nil || !strings.Contains(joinTexts(r.Installed[0].Notes), `PreToolUse does not always call checkrein: matcher "Bash"`) {
		t.Errorf("status: %+v, %v", r, err)
	}
}

func TestInstallErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, host, file, text, want string }{
		{"no JSON", "claude", "~/.claude/settings.json", "{oops", "the file is not valid JSON"},
		{"another shape", "claude", "~/.claude/settings.json", "[]", "is not a JSON object"},
		{"hooks of another shape", "claude", "~/.claude/settings.json", `{"hooks": []}`, "hooks is not an object"},
		{"an event of another shape", "claude", "~/.claude/settings.json", `{"hooks": {"Stop": {}}}`, "hooks.Stop is not a list"},
		{"no TOML", "kimi", "~/.kimi/config.toml", "x = [1\n", "the file is not valid TOML"},
		{"hooks in brackets", "kimi", "~/.kimi/config.toml", "hooks = [{event = \"Stop\"}]\n", "its hooks are written as a list in brackets"},
		{"no YAML", "hermes", "~/.hermes/config.yaml", "a: [", "the file is not valid YAML"},
		{"hooks in brackets", "hermes", "~/.hermes/config.yaml", "hooks: {stop: [{command: x}]}\n", "not written as indented lists"},
		{"a list in brackets", "opencode", "~/.config/opencode/opencode.json", `{"plugin": "x"}`, "plugin is not a list"},
		{"a plugin of someone's", "opencode", "~/.config/opencode/checkrein/plugin.js", "export {}", "was not written by checkrein"},
		{"a drop-in of someone's", "docker-agent", "~/.config/cagent/hooks.d/checkrein.yaml", "stop: []\n", "was not written by checkrein"},
		{"no agents", "kiro", "~/.kiro/agents/x.md", "", "kiro-cli agent create"},
		{"no such scope", "kimi", "/x", "", "no project configuration"},
	} {
		t.Run(tt.host+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			path, scope := l.hostPath(tt.file)
			l.write(path, tt.text, 0o600)
			before := l.snapshot()
			_, err := l.PlanInstall(tt.host, install.Options{Scope: scope})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if d := cmp.Diff(before, l.snapshot()); d != "" {
				t.Errorf("something was written:\n%s", d)
			}
		})
	}
}

func TestForeignClineScript(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	f := l.hostFiles("cline", install.User)[0]
	l.write(f.Path, "#!/bin/sh\nexit 0\n", 0o755)
	if _, err := l.PlanInstall("cline", install.Options{Scope: install.User}); err == nil || !strings.Contains(err.Error(), "was not written by checkrein") {
		t.Errorf("got %v", err)
	}
}

func TestSymlinks(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	out := filepath.Join(filepath.Dir(l.Home), "dotfiles", "claude.json")
	l.write(out, "{\n  \"keep\": 1\n}\n", 0o600)
	path := filepath.Join(l.Home, ".claude", "settings.json")
	link := func(to, at string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, at); err != nil {
			t.Skip(err)
		}
	}
	link(out, path)
	p := l.install("claude", install.Options{Scope: install.User})
	if !strings.Contains(strings.Join(p.Notes, "\n"), "points outside") {
		t.Errorf("it does not say where the link leads: %q", p.Notes)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	if !strings.Contains(l.read(out), "checkrein") {
		t.Error("the link's target was not written")
	}
	l.uninstall("claude", install.Options{Scope: install.User})
	if got := l.read(out); got != "{\n  \"keep\": 1\n}\n" {
		t.Errorf("got %q", got)
	}

	link(out, filepath.Join(l.Project, ".claude", "settings.local.json"))
	if _, err := l.PlanInstall("claude", install.Options{Scope: install.Project}); err == nil || !strings.Contains(err.Error(), "points outside the project") {
		t.Errorf("a project's link: got %v", err)
	}
	link(filepath.Join(l.Home, "nowhere"), filepath.Join(l.Home, ".qwen", "settings.json"))
	if _, err := l.PlanInstall("qwen", install.Options{Scope: install.User}); err == nil || !strings.Contains(err.Error(), "target of the symlink does not exist") {
		t.Errorf("a broken link: got %v", err)
	}
}

func TestChangedInTheMeantime(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p, err := l.PlanInstall("claude", install.Options{Scope: install.User})
	if err != nil {
		t.Fatal(err)
	}
	l.write(filepath.Join(l.Home, ".claude", "settings.json"), "{}", 0o600)
	if err := l.Apply(p); err == nil || !strings.Contains(err.Error(), "in the meantime") {
		t.Errorf("got %v", err)
	}
}

func TestExtraEvents(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	o := install.Options{Scope: install.User, Events: []string{"MessageDisplay"}}
	has := func() bool {
		for _, e := range l.findEntries("claude", install.User) {
			if e.Event == "MessageDisplay" {
				return true
			}
		}
		return false
	}
	l.install("claude", o)
	if !has() {
		t.Error("the event is not wired")
	}
	l.install("claude", install.Options{Scope: install.User})
	if !has() {
		t.Error("installing again forgets the event")
	}
	o.Events = []string{"Nonsense"}
	if _, err := l.PlanInstall("claude", o); err == nil || !strings.Contains(err.Error(), "no event") {
		t.Errorf("got %v", err)
	}
}
