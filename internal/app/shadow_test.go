package app_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
)

// In shadow mode only managed hooks and self-protection count, and it ends by itself.
func TestShadowMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(".config/checkrein/checkrein.yaml", "version: 1\nshadow: 2030-01-08\n")
	write("etc/checkrein.yaml", "version: 1\npacks: [git]\n")
	for _, tt := range []struct {
		now, command string
		want         checkrein.Decision
		shadow       bool
	}{
		{"2030-01-08T23:00:00Z", "docker volume rm data", checkrein.NoOpinion, true},
		{"2030-01-08T23:00:00Z", "git push --force origin main", checkrein.Deny, true},
		{"2030-01-08T23:00:00Z", "checkrein uninstall claude", checkrein.Deny, true},
		{"2030-01-08T23:00:00Z", "echo 'version: 1' > ~/.config/checkrein/checkrein.yaml", checkrein.Deny, true},
		{"2030-01-09T01:00:00Z", "docker volume rm data", checkrein.Deny, false},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		k, err := app.Open(app.Options{Dir: dir, State: filepath.Join(dir, "state"), Managed: filepath.Join(dir, "etc"), Environ: []string{"HOME=" + dir}, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		input, _ := json.Marshal(map[string]string{"command": tt.command})
		out := k.Decide(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "Bash", Input: input}})
		if out.Verdict.Decision != tt.want || (out.Shadow != nil) != tt.shadow {
			t.Errorf("%s at %s: %s, shadow %v", tt.command, tt.now, out.Verdict.Decision, out.Shadow)
		}
		if tt.shadow && out.Shadow.Decision != checkrein.Deny {
			t.Errorf("%s would be %s", tt.command, out.Shadow.Decision)
		}
	}
}

// A managed file can put its own hooks into shadow mode: they run and are recorded, and nothing else
// becomes looser.
func TestManagedHooksInShadow(t *testing.T) {
	t.Parallel()
	const deny = "{name: no-ls, type: rule, if: {command: {contains: ls}}, decision: deny, reason: no ls%s}"
	hooks := func(top, entry string) string {
		return "version: 1\n" + top + "hooks:\n  pre_tool_use:\n    - " + strings.Replace(deny, "%s", entry, 1) + "\n"
	}
	for _, tt := range []struct {
		name                   string
		managed, user, project string
		command                string
		want, would            checkrein.Decision // would: none = nothing is in shadow
	}{
		{name: "enforced", managed: hooks("", ""), command: "ls", want: checkrein.Deny},
		{name: "entry", managed: hooks("", ", mode: shadow"), command: "ls", would: checkrein.Deny},
		{name: "file", managed: hooks("mode: shadow\n", ""), command: "ls", would: checkrein.Deny},
		{name: "entry of a file", managed: hooks("mode: shadow\n", ", mode: enforce"), command: "ls", want: checkrein.Deny},
		{name: "no opinion", managed: hooks("mode: shadow\n", ""), command: "pwd"},
		{name: "packs", managed: hooks("mode: shadow\n", "") + "packs: [{name: git, high: deny}]\n", command: "git push --force origin main", want: checkrein.Deny},
		{name: "the default guards", managed: hooks("mode: shadow\n", ""), command: "docker volume rm ls", want: checkrein.Deny},
		{name: "asked all the same", managed: hooks("mode: shadow\n", ""), command: "git push --force-with-lease; ls", want: checkrein.Ask},
		{name: "self-protection", managed: hooks("mode: shadow\n", ""), command: "checkrein uninstall claude", want: checkrein.Deny},
		{name: "the person's hook", managed: "version: 1\nmode: shadow\n", user: hooks("", ""), command: "ls", want: checkrein.Deny},
		{name: "in the person's file", user: hooks("mode: shadow\n", ", mode: shadow"), command: "ls", would: checkrein.Deny},
		{name: "in a project's file", project: hooks("mode: shadow\n", ", mode: shadow"), command: "ls", want: checkrein.Deny},
		{name: "a project's include", managed: "version: 1\nmode: shadow\ninclude: [PROJECT]\n", project: hooks("", ""), command: "ls", want: checkrein.Deny},
		{name: "a broken entry", managed: hooks("", ", mode: shadow, priority: 5000"), command: "ls", want: checkrein.Deny},
		{name: "a broken file", managed: "version: 1\nmode: shadow\nhooks: [", command: "ls", want: checkrein.Deny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			if tt.user != "" {
				p.writeUser(tt.user)
			}
			if tt.project != "" {
				p.writeProject(tt.project)
				p.approveAll()
			}
			if tt.managed != "" {
				p.writeManaged(strings.Replace(tt.managed, "PROJECT", p.path("project/checkrein.yaml"), 1))
			}
			input, _ := json.Marshal(map[string]string{"command": tt.command})
			k := p.open()
			out := k.Decide(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s"}, Tool: &checkrein.Tool{Name: "Bash", Input: input}})
			wantDecision(t, out, tt.want)
			would := checkrein.NoOpinion
			if out.Shadow != nil {
				would = out.Shadow.Decision
			}
			if would != tt.would {
				t.Errorf("it would be %s, want %s\n%s", would, tt.would, out.JSON(true))
			}
			if guards := k.Guards(); (len(guards.Tried) > 0) != (tt.would != checkrein.NoOpinion) && strings.Contains(tt.name, "entry") {
				t.Errorf("tried: %v", guards.Tried)
			}
		})
	}
}

// The joined outcome of an event's rows is in shadow mode if that of one row is.
func TestJoinedOutcomesInShadow(t *testing.T) {
	t.Parallel()
	none, ask, deny := checkrein.Verdict{}, checkrein.Verdict{Decision: checkrein.Ask}, checkrein.Verdict{Decision: checkrein.Deny}
	for name, tt := range map[string]struct {
		outs        []engine.Outcome
		want, would checkrein.Decision // would: none = nothing is in shadow
	}{
		"no row":       {outs: []engine.Outcome{{Verdict: none}, {Verdict: ask}}, want: checkrein.Ask},
		"the first":    {outs: []engine.Outcome{{Verdict: none, Shadow: &deny}, {Verdict: ask}}, want: checkrein.Ask, would: checkrein.Deny},
		"the second":   {outs: []engine.Outcome{{Verdict: none}, {Verdict: none, Shadow: &deny}}, would: checkrein.Deny},
		"a milder one": {outs: []engine.Outcome{{Verdict: deny}, {Verdict: none, Shadow: &ask}}, want: checkrein.Deny, would: checkrein.Deny},
	} {
		out := app.JoinOutcomes(tt.outs)
		would := checkrein.NoOpinion
		if out.Shadow != nil {
			would = out.Shadow.Decision
		}
		if out.Verdict.Decision != tt.want || would != tt.would {
			t.Errorf("%s: %s, would be %s", name, out.Verdict.Decision, would)
		}
	}
}
