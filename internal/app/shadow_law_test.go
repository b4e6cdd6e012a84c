package app_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// everyEvent returns a hooks block with a hook on every event that wants everything that the event
// permits. Its entries have the given keys too.
func everyEvent(name, keys string) string {
	var out strings.Builder
	for _, row := range checkrein.Contracts()[1:] {
		wants := ", notice: noticed " + name
		if row.Can(checkrein.CanAddContext) {
			wants += ", context: told " + name
		}
		if row.Can(checkrein.CanDeny) {
			wants += ", decision: deny, reason: no " + name
		}
		fmt.Fprintf(&out, "  %s:\n    - {name: %s, type: rule%s%s}\n", row.Name, name, wants, keys)
	}
	return out.String()
}

// Shadow mode never changes a reply by a byte: over all recorded payloads of all hosts, the replies with
// hooks and packs in shadow mode equal those without them.
func TestShadowChangesNoReply(t *testing.T) {
	t.Parallel()
	ask := "  pre_tool_use:\n    - {name: asks, type: rule, decision: ask, reason: sure}\n"
	packs := func(mode string) string {
		return "packs:\n  - {name: git, " + mode + "}\n  - {name: secrets, " + mode + "}\n  - {name: filesystem, " + mode + "}\n"
	}
	for name, tt := range map[string]struct{ with, without string }{
		"hooks":          {"hooks:\n" + everyEvent("tried", ", mode: shadow"), ""},
		"a file":         {"mode: shadow\nhooks:\n" + everyEvent("tried", ""), ""},
		"an end":         {"hooks:\n" + everyEvent("tried", ", mode: shadow, until: 2099-01-01"), ""},
		"beside another": {"hooks:\n" + strings.Replace(everyEvent("tried", ", mode: shadow"), "  pre_tool_use:\n", ask, 1), "hooks:\n" + ask},
		"packs":          {packs("mode: shadow"), packs("off: true")},
		"stricter packs": {packs("low: ask, exfiltration: deny, mode: shadow"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			first := p.open()
			first.Serve(t.Context(), checkrein.Event{Kind: checkrein.TurnStart}) // makes the keys, from which handles come
			if err := os.CopyFS(p.path("first"), os.DirFS(p.path("state"))); err != nil {
				t.Fatal(err)
			}
			run := func(config string) (replies map[string]string, tried int) {
				if err := errors.Join(os.RemoveAll(p.path("state")), os.CopyFS(p.path("state"), os.DirFS(p.path("first")))); err != nil {
					t.Fatal(err)
				}
				p.writeUser("version: 1\n" + config)
				k := p.open(func(o *app.Options) { o.Now = func() time.Time { return time.Unix(1_900_000_000, 0) } })
				return allReplies(t, k)
			}
			with, tried := run(tt.with)
			without, none := run(tt.without)
			if tried == 0 || none != 0 {
				t.Fatalf("%d answers of hooks in shadow mode, and %d without it", tried, none)
			}
			for call, reply := range without {
				if with[call] != reply {
					t.Errorf("%s: with shadow mode\n%s\nwithout\n%s", call, with[call], reply)
				}
			}
		})
	}
}

// allReplies returns the replies to all recorded payloads, and how often a hook in shadow mode had an
// opinion. Each payload is also sent with a harmful command.
func allReplies(t *testing.T, k *app.Kit) (map[string]string, int) {
	t.Helper()
	out, tried := map[string]string{}, 0
	for _, h := range host.Table() {
		files, err := filepath.Glob("../host/" + strings.ReplaceAll(h.Name, "-", "") + "/testdata/*.json")
		if err != nil || len(files) == 0 {
			continue
		}
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, native := strings.TrimSuffix(filepath.Base(file), ".json"), ""
			if h.OmitsEvent {
				native, _, _ = strings.Cut(name, ".")
			}
			for _, command := range []string{"", "git push --force origin main", "cat ~/.ssh/id_rsa"} {
				call := h.Read(h, body, native)
				for i := range call.Events {
					if tool := call.Events[i].Tool; tool != nil && command != "" {
						changed := *tool
						changed.Name, changed.Canonical, changed.Input = "Bash", "shell", []byte(`{"command":"`+command+`"}`)
						call.Events[i].Tool = &changed
					}
				}
				reply := k.Answer(t.Context(), app.Call{Events: call.Events}, func(outs []engine.Outcome) wire.Reply {
					for i := range outs {
						for j := range outs[i].Tried {
							if v := outs[i].Tried[j].Verdict; v != nil && !v.IsZero() {
								tried++
							}
						}
					}
					return h.Encode(&call, outs)
				})
				out[h.Name+" "+name+" "+command] = fmt.Sprintf("%d\n%s\n%s", reply.Exit, reply.Stdout, reply.Stderr)
			}
		}
	}
	return out, tried
}

// A pack or a rule of the person's own file is tried, and enforced again at its end. The administrator's
// packs, and a project's file, are as they were.
func TestPacksInShadow(t *testing.T) {
	t.Parallel()
	const push, volume = "git push --force origin main", "docker volume rm data"
	for _, tt := range []struct {
		name                   string
		managed, user, project string
		command                string
		want, would            checkrein.Decision // would: none = nothing is in shadow
		by                     string
	}{
		{name: "a pack", user: "packs: [{name: git, mode: shadow}]", command: push, would: checkrein.Deny, by: "git/push-force"},
		{name: "a stricter pack", user: "packs: [{name: git, medium: deny, mode: shadow}]", command: push, want: checkrein.Deny, would: checkrein.Deny, by: "git/push-force"},
		{name: "a stricter pack alone", user: "packs: [{name: git, medium: deny, mode: shadow}]", command: "git push --force-with-lease", want: checkrein.Ask, would: checkrein.Deny, by: "git/push-lease"},
		{name: "a looser pack", user: "packs: [{name: git, high: ask, mode: shadow}]", command: push, would: checkrein.Ask, by: "git/push-force"},
		{name: "another pack", user: "packs: [{name: git, mode: shadow}]", command: volume, want: checkrein.Deny},
		{name: "a rule", user: "packs: [{name: git, shadow: [push-force]}]", command: push, would: checkrein.Deny, by: "git/push-force"},
		{name: "a rule with its pack", user: "packs: [{name: git, shadow: git/push-force}]", command: push, would: checkrein.Deny, by: "git/push-force"},
		{name: "a rule beside others", user: "packs: [{name: git, shadow: [push-force]}]", command: push + "; " + volume, want: checkrein.Deny, would: checkrein.Deny, by: "git/push-force"},
		{name: "another rule", user: "packs: [{name: containers, shadow: [push-force]}]", command: volume, want: checkrein.Deny},
		{name: "not over", user: "packs: [{name: git, shadow: [push-force], until: 2030-01-08}]", command: push, would: checkrein.Deny, by: "git/push-force"},
		{name: "over", user: "packs: [{name: git, shadow: [push-force], until: 2030-01-07}]", command: push, want: checkrein.Deny},
		{name: "a pack that is over", user: "packs: [{name: git, mode: shadow, until: 2030-01-07}]", command: push, want: checkrein.Deny},
		{name: "the administrator's own", managed: "packs: [{name: git, mode: shadow}]", command: push, would: checkrein.Deny, by: "git/push-force"},
		{name: "over the administrator's", managed: "packs: [git]", user: "packs: [{name: git, mode: shadow}]", command: push, want: checkrein.Deny, would: checkrein.Deny, by: "git/push-force"},
		{name: "a project's", project: "packs: [{name: git, mode: shadow}]", command: push, want: checkrein.Deny},
		{name: "a project's rule", project: "packs: [{name: git, shadow: [push-force]}]", command: push, want: checkrein.Deny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			for write, text := range map[*func(string) string]string{ptr(p.writeUser): tt.user, ptr(p.writeManaged): tt.managed, ptr(p.writeProject): tt.project} {
				if text != "" {
					(*write)("version: 1\n" + text + "\n")
				}
			}
			at, _ := time.Parse(time.RFC3339, "2030-01-08T12:00:00Z")
			k := p.open(func(o *app.Options) { o.Now = func() time.Time { return at } })
			out := k.Serve(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s"}, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: []byte(`{"command":"` + tt.command + `"}`)}})
			wantDecision(t, out, tt.want)
			trial := lastRecord(t, p.path("state")).Trial
			switch {
			case trial == nil && tt.would != checkrein.NoOpinion:
				t.Errorf("no trial in the record\n%s", out.JSON(true))
			case trial == nil:
			case trial.Would != tt.would.String() || trial.Counted != tt.want.String() || strings.Join(trial.By, " ") != tt.by:
				t.Errorf("trial %+v", trial)
			}
			if ignored := strings.Join(k.Guards().Ignored, "\n"); (tt.project != "") != strings.Contains(ignored, "shadow mode") {
				t.Errorf("ignored: %q", ignored)
			}
		})
	}
}

// lastRecord returns the newest record of an event in the state directory.
func lastRecord(t *testing.T, dir string) *record.Record {
	t.Helper()
	r := ledger.NewReader(filepath.Join(dir, ledger.Folder), ledger.Position{})
	defer r.Close()
	var last *record.Record
	for {
		e, err := r.Next()
		if err != nil {
			return last
		}
		if e.Line.Kind != ledger.KindEvent {
			continue
		}
		if last, err = record.Decode(e.Line.Raw); err != nil {
			t.Fatal(err)
		}
	}
}

func ptr[T any](v T) *T { return &v }
