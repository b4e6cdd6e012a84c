package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
)

// writeBundle writes the files of a bundle and points the symlink name to it.
func (p testMachine) writeBundle(name, id string, files map[string]string) {
	p.t.Helper()
	p.write("etc/fleet/bundles/"+id+"/bundle.json", `{"name":"base","version":7}`)
	for file, text := range files {
		p.write("etc/fleet/bundles/"+id+"/"+file, text)
	}
	if err := os.Symlink(filepath.Join("bundles", id), p.path("etc/fleet/"+name)); err != nil {
		p.t.Fatal(err)
	}
}

func shellEvent(command string) checkrein.Event {
	input, _ := json.Marshal(map[string]string{"command": command})
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s"}, Tool: &checkrein.Tool{Name: "Bash", Input: input}}
}

func TestFleetBundleIsManaged(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeBundle("active", "aa", map[string]string{"checkrein.yaml": ruleFile("pre_tool_use", "no-tools", "deny")})
	wantDecision(t, p.decide(newShellCall("s")), checkrein.Deny)
	if err := p.open().SetOn(false); err != nil {
		t.Fatal(err)
	}
	wantDecision(t, p.decide(newShellCall("s")), checkrein.Deny) // managed hooks run even so
}

// TestFleetMistakeNamesAdministrator checks that a person who is denied by a broken file of a bundle
// learns who can correct it.
func TestFleetMistakeNamesAdministrator(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeBundle("active", "aa", map[string]string{"checkrein.yaml": "version: 1\nhooks: {pre_tool_use: [{name: x, decision: maybe}]}\n"})
	wantText(t, p.replyTo("ls"), "It stays blocked until it is corrected: ask your organization's administrator, fleet bundle base 7, to correct DIR/etc/fleet/bundles/aa/checkrein.yaml:2.")
	p.write("etc/fleet/bundles/aa/checkrein.yaml", ruleFile("pre_tool_use", "policy", "deny"))
	wantText(t, p.replyTo("ls"), "Your organization's administrator, fleet bundle base 7, decides that in ")
}

func TestFleetTrialChangesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, trial, command string
		want, would          checkrein.Decision
	}{
		{"a rule", ruleFile("pre_tool_use", "no-tools", "deny"), "ls", checkrein.NoOpinion, checkrein.Deny},
		{"a stricter pack", "version: 1\npacks: [{name: git, medium: deny, high: deny}]\n", "git push --force-with-lease", checkrein.Ask, checkrein.Deny},
		{"a pack that is off", "version: 1\npacks: [{name: git, off: true}]\n", "git push --force origin main", checkrein.Deny, checkrein.NoOpinion},
		{"all packs off", "version: 1\npacks: []\n", "git push --force origin main", checkrein.Deny, checkrein.NoOpinion},
		{"a broken file", "version: 1\nhooks: {\n", "ls", checkrein.NoOpinion, checkrein.NoOpinion},
		{"shadow of everything", "version: 1\nshadow: 2999-01-01T00:00:00Z\n", "git push --force origin main", checkrein.Deny, checkrein.NoOpinion},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			want := p.decide(shellEvent(tt.command)).Verdict.Decision
			p.writeBundle("trial", "bb", map[string]string{"checkrein.yaml": tt.trial})
			out := p.open().Serve(t.Context(), shellEvent(tt.command))
			if tt.want == checkrein.Deny && want != checkrein.Deny {
				t.Fatalf("without the bundle, %q gets %v", tt.command, want)
			}
			wantDecision(t, out, want)
			if k := p.open(); len(k.Guards().Off) > 0 || len(k.Guards().OffBy) > 0 || len(k.PackEntries()) > 0 {
				t.Errorf("packs count: %+v, %+v", k.Guards(), k.PackEntries())
			}
			if trial := lastRecord(t, p.path("state")).Trial; (trial != nil) != (tt.would != checkrein.NoOpinion) || trial != nil && trial.Would != tt.would.String() {
				t.Errorf("trial %+v, want %v", trial, tt.would)
			}
		})
	}
}

func TestFleetFreeze(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	end := time.Now().Add(time.Hour).UTC()
	p.write("etc/fleet/freeze.yaml", "version: 1\nhooks:\n  pre_tool_use:\n    - {name: fleet-freeze, type: builtin, command: freeze, args: ['until="+end.Format(time.RFC3339)+"', by=ada, reason=an incident]}\n")
	out := p.decide(newShellCall("s"))
	wantDecision(t, out, checkrein.Deny)
	wantText(t, out.Verdict.Reason, "by ada: an incident")
	wantText(t, p.replyTo("ls"), "Your organization's administrator decides that in ")
	after := p.open(func(o *app.Options) { o.Now = func() time.Time { return end.Add(time.Second) } })
	wantDecision(t, after.Decide(t.Context(), newShellCall("s")), checkrein.NoOpinion)
}
