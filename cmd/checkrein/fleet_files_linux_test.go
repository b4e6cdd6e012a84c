package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/bundle"
)

// A publisher is a fleet's administrator and hub, whose repository is exported to files of a machine.
type publisher struct {
	t       *testing.T
	repo    bundle.Repository
	release ed25519.PrivateKey
	hub     ed25519.PrivateKey
	now     time.Time
	version int
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	key := func() ed25519.PrivateKey {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	p := &publisher{t: t, release: key(), hub: key(), now: time.Now()}
	p.repo = bundle.Repository{Store: bundle.Dir(t.TempDir()), Now: func() time.Time { return p.now }}
	p.must(p.repo.Create(context.Background(), bundle.Keys{Root: key(), Release: p.release, Hub: p.hub.Public().(ed25519.PublicKey)}))
	return p
}

func (p *publisher) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// export publishes a bundle with these files and exports it to dir, which it empties before.
func (p *publisher) export(dir string, files map[string]string) (root string) {
	p.t.Helper()
	p.version++
	from := p.t.TempDir()
	files["bundle.json"] = fmt.Sprintf(`{"name":"base","version":%d,"created":"2026-11-01T00:00:00Z"}`, p.version)
	for name, text := range files {
		p.must(os.MkdirAll(filepath.Dir(filepath.Join(from, name)), 0o755))
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		p.must(os.WriteFile(filepath.Join(from, name), []byte(text), mode))
	}
	archive, _, err := bundle.Build(from)
	p.must(err)
	info, err := p.repo.Add(context.Background(), p.release, archive)
	p.must(err)
	p.must(p.repo.Publish(context.Background(), p.hub, &bundle.Rollout{Active: info.Target(), Stage: bundle.Enforce, Percent: 100}))
	p.must(os.RemoveAll(dir))
	p.must(bundle.Export(context.Background(), p.repo.Store, bundle.Dir(dir), p.repo.Now))
	data, err := os.ReadFile(filepath.Join(dir, "1.root.json"))
	p.must(err)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// denies is a policy that denies commands with a word.
func denies(word string) map[string]string {
	return map[string]string{"checkrein.yaml": fmt.Sprintf("version: 1\nhooks: {pre_tool_use: [{name: no-%s, type: rule, if: {command: {contains: %[1]s}}, decision: deny, reason: the fleet forbids it}]}\n", word)}
}

// ask is a shell command that prints what the hook of an agent answers to a command.
func ask(command string) string {
	return `printf '{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"` + command + `"}}' $PWD | checkrein hook claude; echo "answer $?"`
}

// TestFleetFiles applies an export to a machine without a hub, and exports that were forged, are old or
// expired, or do not belong together. What is refused leaves what was active.
func TestFleetFiles(t *testing.T) {
	t.Parallel()
	m := newManagedMachine(t, "version: 1\n")
	p, other := newPublisher(t), newPublisher(t)
	dir := filepath.Join(m.home, "export")
	apply := "checkrein fleet apply " + dir
	copyOf := func() string {
		to := t.TempDir() + "/copy"
		p.must(os.CopyFS(to, os.DirFS(dir)))
		return to
	}
	put := func(from string) { p.must(os.RemoveAll(dir)); p.must(os.CopyFS(dir, os.DirFS(from))) }
	deny := func(word, text string) { t.Helper(); m.checkOutput(ask(word+" now"), text) }

	root := p.export(dir, denies("deploy"))
	one := copyOf()
	m.checkOutput(apply, "--root", "exit 1")
	m.checkOutput(apply+" --root "+strings.Repeat("0", 64), "refused", "exit 4")
	deny("deploy", "answer 0")
	if out := m.run(ask("deploy now")); strings.Contains(out, "deny") {
		t.Fatal("a bundle whose root nobody handed over is active")
	}
	m.checkOutput(apply+" --root "+root, "bundles/base-1.tar.gz", "exit 0")
	deny("deploy", `"deny"`)
	m.checkOutput(apply, "exit 0")
	m.checkOutput("checkrein fleet status", "bundles/base-1.tar.gz", "exit 0")

	p.now = p.now.Add(time.Second)
	p.export(dir, denies("publish"))
	two := copyOf()
	m.checkOutput(apply, "bundles/base-2.tar.gz", "exit 0")
	deny("publish", `"deny"`)

	change := func(pattern string, edit func([]byte) []byte) func() {
		return func() {
			put(two)
			list, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil || len(list) == 0 {
				t.Fatalf("%s: %v", pattern, err)
			}
			for _, path := range list {
				data, err := os.ReadFile(path)
				p.must(err)
				p.must(os.WriteFile(path, edit(data), 0o600))
			}
		}
	}
	flip := func(data []byte) []byte { data[len(data)/2] ^= 1; return data }
	p.now = p.now.Add(time.Second)
	p.export(dir, denies("release")) // which the machine has not got
	three := copyOf()
	for _, tt := range []struct {
		name string
		put  func()
		want string
	}{
		{"older", func() { put(one) }, "exit 4"},
		{"a timestamp that was changed", change("timestamp.json", flip), "exit 4"},
		{"a bundle that was changed", func() {
			put(three)
			list, _ := filepath.Glob(dir + "/targets/bundles/*")
			data, err := os.ReadFile(list[0])
			p.must(err)
			p.must(os.WriteFile(list[0], flip(data), 0o600))
		}, "exit 4"},
		{"a bundle that is missing", func() { put(three); p.must(os.RemoveAll(dir + "/targets/bundles")) }, "exit 4"},
		{"files of two exports", func() {
			put(two)
			data, err := os.ReadFile(three + "/timestamp.json")
			p.must(err)
			p.must(os.WriteFile(dir+"/timestamp.json", data, 0o600))
		}, "exit 4"},
		{"another fleet's", func() { other.export(dir, denies("other")) }, "exit 4"},
		{"another fleet's, with its root", func() { apply += " --root " + other.export(dir, denies("other")) }, "exit 4"},
		{"expired", func() {
			apply = "checkrein fleet apply " + dir
			late := *p
			late.now = time.Now().Add(-48 * time.Hour)
			late.repo.Now = func() time.Time { return late.now }
			late.export(dir, denies("late"))
		}, "exit 4"},
		{"nothing", func() { p.must(os.RemoveAll(dir)) }, "exit 1"},
	} {
		tt.put()
		out := m.run(apply)
		if !strings.Contains(out, tt.want+"\n") {
			t.Errorf("%s: %s", tt.name, out)
		}
		deny("publish", `"deny"`)
		m.checkOutput("checkrein fleet status", "base-2")
	}
	put(three)
	m.checkOutput(apply, "bundles/base-3.tar.gz", "exit 0")
	deny("release", `"deny"`)
	m.checkOutput("checkrein fleet join https://localhost:1 --token x; true", "exit")
}

// TestBundleKinds checks that each kind of content takes effect on the machine that gets it.
func TestBundleKinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		files   map[string]string
		command string // of the machine
		before  string // what it prints without the bundle
		after   string // and with it
	}{
		{"policy", denies("deploy"), ask("deploy now"), "answer 0", `"deny"`},
		{"drop-in", map[string]string{"hooks.d/one.yaml": denies("deploy")["checkrein.yaml"]}, ask("deploy now"), "answer 0", `"deny"`},
		{"included file", map[string]string{"checkrein.yaml": "version: 1\ninclude: [more.yaml]\n", "more.yaml": denies("deploy")["checkrein.yaml"]}, ask("deploy now"), "answer 0", `"deny"`},
		{"HOOK.md folder", map[string]string{"hooks/stop/HOOK.md": "---\nname: stop\ndescription: d\ntrigger: before_tool\n---\n", "hooks/stop/scripts/run.sh": "#!/bin/sh\necho 'the program of the fleet' >&2\nexit 2\n"}, ask("ls"), "answer 0", "the program of the fleet"},
		{"pack", map[string]string{"checkrein.yaml": "version: 1\npacks: [{name: ours, about: our own tools, rules: [{id: ship, cmd: shipit, label: destructive, radius: high, reason: the fleet forbids it, match: [shipit], no_match: [ls]}]}]\n"}, ask("shipit"), "answer 0", `"deny"`},
		{"grant", map[string]string{"checkrein.yaml": "version: 1\ngrants: [{call: git push --force origin main, reason: the release needs it}]\n"}, ask("git push --force origin main"), `"deny"`, "answer 0"},
		{"walls", map[string]string{"checkrein.yaml": "version: 1\nwalls: {hide: [~/vault]}\n"}, ask("ls"), "readable", "answer 0"},
		{"model table", map[string]string{"models.yaml": "models:\n  acme/large: {context_size: 128000, cost: {input: 1.25, output: 4}}\n"}, "checkrein models acme/large --json", "exit 2", "128000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			managed := "version: 1\n"
			if tt.name == "walls" { // a program behind them shows what they hide
				managed += "hooks: {pre_tool_use: [{name: peek, type: command, sandbox: walls, command: \"grep -s . ~/vault/x >&2 && exit 2; exit 0\"}]}\n"
			}
			m := newManagedMachine(t, managed)
			m.run("mkdir ~/vault && echo readable >~/vault/x")
			before := m.run(tt.command)
			if tt.name == "walls" && !strings.Contains(before, tt.before) {
				t.Skipf("no program runs behind walls here: %s", before)
			}
			if !strings.Contains(before, tt.before) || strings.Contains(before, tt.after) && tt.after != "answer 0" {
				t.Fatalf("without the bundle: %s", before)
			}
			p := newPublisher(t)
			dir := filepath.Join(m.home, "export")
			m.checkOutput("checkrein fleet apply "+dir+" --root "+p.export(dir, tt.files), "exit 0")
			out := m.run(tt.command)
			if !strings.Contains(out, tt.after) || tt.after == "answer 0" && strings.Contains(out, tt.before) {
				t.Errorf("with the bundle: %s", out)
			}
		})
	}
}
