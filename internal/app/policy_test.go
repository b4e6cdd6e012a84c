package app

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/lab/built"
)

// Every setting is part of the policy. Otherwise, decisions could change under the same policy.
func TestSettingsArePartOfThePolicy(t *testing.T) {
	t.Parallel()
	k, _ := openServed(t, denyDanger, nil)
	k.config.Settings = setting.Settings{}
	before := k.policySettings(k.view())
	var set func(v reflect.Value, name string)
	set = func(v reflect.Value, name string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				switch v.Field(i).Interface().(type) {
				case []setting.Pack, []setting.Judge, []setting.TriedHook: // the hooks that they add are part of the policy
					continue
				case []setting.Channel: // channels do not affect decisions
					continue
				}
				if field := name + "." + v.Type().Field(i).Name; field != "Settings.Approvals.Notify" { // nor do messages
					set(v.Field(i), field)
				}
			}
			return
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int, reflect.Int64:
			v.SetInt(7)
		case reflect.Uint8:
			v.SetUint(uint64(checkrein.FaultWarn)) // the largest that is valid for all of them
		case reflect.String:
			v.SetString("x")
		case reflect.Slice:
			item := reflect.New(v.Type().Elem()).Elem()
			switch item.Interface().(type) {
			case setting.Grant:
				item.Field(0).SetString("x")
			default:
				item.SetString("x")
			}
			v.Set(reflect.Append(v, item))
		default:
			t.Fatalf("%s is a %s", name, v.Kind())
		}
		if reflect.DeepEqual(before, k.policySettings(k.view())) {
			t.Errorf("%s does not change the policy version", name)
		}
		v.SetZero()
	}
	set(reflect.ValueOf(&k.config.Settings).Elem(), "Settings")
}

// Every part of a grant that widens or narrows it is part of the policy. Grants that are held back are
// not.
func TestGrantsArePartOfThePolicy(t *testing.T) {
	t.Parallel()
	k, _ := openServed(t, denyDanger, nil)
	seen := map[string]setting.Grant{}
	for _, g := range []setting.Grant{
		{}, {Call: "x"}, {Call: "y"}, {Tool: "x"}, {Tool: "x", Input: []byte("{}")}, {Call: "x", Rules: []string{"a"}}, {Call: "x", In: "/a"},
		{Call: "x", Until: "2999-01-01T00:00:00Z"}, {Call: "x", Until: "2001-01-01T00:00:00Z"}, {Call: "x", From: checkrein.Origin{Scope: checkrein.ScopeUser}},
	} {
		k.config.Settings.Grants = []setting.Grant{g}
		if g.Call+g.Tool == "" {
			k.config.Settings.Grants = nil
		}
		sum := strings.Join(k.policySettings(k.view()), "\x01")
		if other, ok := seen[sum]; ok {
			t.Errorf("%+v and %+v count the same", g, other)
		}
		seen[sum] = g
	}
}

// Settings of packs are part of the policy, wherever their files lie.
func TestPackSettingsArePartOfThePolicy(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, packs := range []string{"", "packs: [{name: git, high: ask}]", "packs: [{name: git, off: true}]", "packs: []"} {
		dir := t.TempDir()
		file := filepath.Join(dir, ".config", "checkrein", "checkrein.yaml")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("version: 1\n"+packs+"\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		k, err := Open(Options{Dir: dir, State: filepath.Join(dir, "state"), Managed: NoManaged, Environ: []string{"HOME=" + dir}})
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[k.Policy()]; ok {
			t.Errorf("%q and %q have one policy", packs, other)
		}
		seen[k.Policy()] = packs
	}
}

// The policy covers what is in force, whatever the files contain, so that a tampered cache leads to
// another policy.
func TestTamperedCacheChangesThePolicy(t *testing.T) {
	t.Parallel()
	const file = `version: 1
hooks:
  pre_tool_use:
    - {name: first, type: rule, if: {command: {contains: danger}}, decision: deny}
    - {name: second, type: rule, if: {command: {contains: risk}}, decision: ask}
    - {name: far, type: http, url: "https://example.com/gate", match: shell}
`
	k, _ := openServed(t, file, nil)
	policy := func() string {
		k.live.view.Store(k.newView(k.loadApprovals()))
		return k.Policy()
	}
	at := func(name string) *checkrein.Hook {
		i := slices.IndexFunc(k.config.Hooks, func(h checkrein.Hook) bool { return h.Name == name || h.ID == name })
		if i < 0 {
			t.Fatalf("no hook %s", name)
		}
		return &k.config.Hooks[i]
	}
	drop := func(name string) {
		k.config.Hooks = slices.DeleteFunc(k.config.Hooks, func(h checkrein.Hook) bool { return h.Name == name })
	}
	before, hooks := policy(), k.config.Hooks
	seen := map[string]string{before: "nothing"}
	for what, change := range map[string]func(){
		"a rule is gone":              func() { drop("first") },
		"another rule is gone":        func() { drop("second") },
		"self-protection is gone":     func() { drop(protectPaths) },
		"packs are gone":              func() { drop("packs") },
		"the order is another":        func() { *at("first"), *at("second") = *at("second"), *at("first") },
		"a rule is off":               func() { at("first").Off = "by its file" },
		"a rule is broken":            func() { at("first").Broken = "odd" },
		"a rule decides otherwise":    func() { at("first").With = []byte(`{"decision":"ask"}`) },
		"a rule is asked less":        func() { at("first").If = []byte(`{"command":{"contains":"dangers"}}`) },
		"a rule is a project's":       func() { at("first").From.Scope = checkrein.ScopeProject },
		"a rule is managed":           func() { at("first").From.Scope = checkrein.ScopeManaged },
		"a rule needs approval":       func() { at("first").From.Approval = true },
		"a request is asked less":     func() { at("far").Match = "write" },
		"a request fails open":        func() { at("far").OnFault = checkrein.FaultIgnore },
		"a pack is off":               func() { at("packs").With = []byte(`{"name":"packs","args":["git.off=true"]}`) },
		"self-protection is declared": func() { at(protectPaths).Implied = false },
	} {
		k.config.Hooks = slices.Clone(hooks)
		change()
		got := policy()
		if other, ok := seen[got]; ok {
			t.Errorf("%s and %s have one policy", what, other)
		}
		seen[got] = what
	}
	k.config.Hooks = hooks
	if policy() != before {
		t.Error("the same hooks have two policies")
	}
}

// The location and layout of files, and the caller, are not part of the policy.
func TestPolicyIsComparable(t *testing.T) {
	t.Parallel()
	denyDanger := strings.Replace(denyDanger, "packs: []\n", "", 1) // a setting that is held back does not count at once
	one, _ := openServed(t, denyDanger, nil)
	for what, k := range map[string]*Kit{
		"another home": firstKit(openServed(t, denyDanger, nil)),
		"a comment":    firstKit(openServed(t, "# why\n"+denyDanger+"\n", nil)),
		"a host asks":  firstKit(openServed(t, denyDanger, func(o *Options) { o.Called = true })),
		"only looking": firstKit(openServed(t, denyDanger, func(o *Options) { o.ReadOnly = true })),
		"an agent":     firstKit(openServed(t, denyDanger, func(o *Options) { o.Agent, o.AgentIsGuess = "helper", true })),
		"a grant ended": firstKit(openServed(t, denyDanger, func(o *Options) {
			o.Now = func() time.Time { return time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }
		})),
	} {
		if k.Policy() != one.Policy() {
			t.Errorf("%s: another policy", what)
		}
	}
}

func firstKit(k *Kit, _ string) *Kit { return k }

// Approvals are part of the policy: that they were given, and for which contents.
func TestApprovalsArePartOfThePolicy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), built.WriteScript(path, text)); err != nil {
			t.Fatal(err)
		}
	}
	write("project/checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use: {name: guard, command: ./guard.sh}\n")
	if err := os.Mkdir(filepath.Join(dir, "project", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, step := range []struct {
		what, script string
		approve      bool
	}{{"unapproved", "#!/bin/sh\ntrue\n", false}, {"approved", "#!/bin/sh\ntrue\n", true}, {"approved anew", "#!/bin/sh\n:\n", true}} {
		write("project/guard.sh", step.script)
		k, err := Open(Options{Dir: filepath.Join(dir, "project"), State: filepath.Join(dir, "state"), Managed: NoManaged, Environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}})
		if err != nil {
			t.Fatal(err)
		}
		if step.approve {
			if _, err := k.Approve(nil); err != nil {
				t.Fatal(err)
			}
		}
		if other, ok := seen[k.Policy()]; ok {
			t.Errorf("%s and %s have one policy", step.what, other)
		}
		seen[k.Policy()] = step.what
		k.Serve(t.Context(), shellCall("ls"))
		list := readRecords(t, filepath.Join(dir, "state"))
		last := list[len(list)-1]
		at := slices.IndexFunc(last.Plan, func(s record.Step) bool { return s.Hook == "guard" })
		if at < 0 || (last.Plan[at].Approval != "") != step.approve || last.Policy != k.Policy() {
			t.Fatalf("%s: %+v", step.what, last.Plan)
		}
		if sum := last.Plan[at].Approval; seen[sum] != "" {
			t.Errorf("%s and %s have one approval", step.what, seen[sum])
		} else if sum != "" {
			seen[sum] = step.what
		}
	}
}

func BenchmarkPolicy(b *testing.B) {
	dir := b.TempDir()
	k, err := Open(Options{Dir: dir, State: filepath.Join(dir, "state"), Managed: NoManaged, Environ: []string{"HOME=" + dir}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		k.view().policy = sync.Once{}
		k.Policy()
	}
}
