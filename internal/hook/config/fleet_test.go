package config

import (
	"os"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
)

const bundleA, bundleB = "fleet/bundles/aa", "fleet/bundles/bb"

// link points the symlink name in the managed fleet directory to target.
func (tr tree) link(name, target string) {
	tr.t.Helper()
	if err := os.Symlink(target, tr.path("managed/fleet/"+name)); err != nil {
		tr.t.Fatal(err)
	}
}

const hookFolderText = "---\nname: folder\ndescription: d\ntrigger: before_tool\n---\n"

func TestFleetBundles(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("managed/checkrein.yaml", ruleFile("own"))
	tr.write("managed/"+bundleA+"/checkrein.yaml", ruleFile("a"))
	tr.write("managed/"+bundleA+"/hooks.d/1.yaml", ruleFile("drop"))
	tr.write("managed/"+bundleA+"/hooks/h/HOOK.md", hookFolderText)
	tr.write("managed/"+bundleA+"/hooks/h/run.sh", "exit 0\n")
	tr.write("managed/"+bundleB+"/checkrein.yaml", ruleFile("b"))
	tr.write("managed/fleet/freeze.yaml", ruleFile("frozen"))
	tr.write("user/checkrein.yaml", ruleFile("user"))
	tr.link(FleetActive, "bundles/aa")
	c := tr.load()
	var names []string
	for i := range c.Hooks {
		if h := &c.Hooks[i]; h.From.Scope != checkrein.ScopeManaged && h.Name != "user" || h.Shadow {
			t.Errorf("%s: scope %v, shadow %v", h.Label(), h.From.Scope, h.Shadow)
		}
		names = append(names, c.Hooks[i].Label())
	}
	if want := []string{"own", "a", "drop", "folder", "frozen", "user"}; !slices.Equal(slices.Compact(names), want) {
		t.Errorf("got %q, want %q: %v", names, want, c.Err())
	}
}

// TestFleetTrial checks that a bundle on trial adds hooks and packs in shadow mode and nothing else,
// however it is broken.
func TestFleetTrial(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("managed/"+bundleA+"/checkrein.yaml", ruleFile("a"))
	tr.write("managed/"+bundleB+"/checkrein.yaml", `version: 1
project_may_allow: true
self_approve: true
packs: [{name: git, high: deny}]
walls: {contain: unknown, write: [/srv]}
grants: [{call: rm -rf /srv/x, reason: y}]
include: [more.yaml]
hooks:
  pre_tool_use: [{name: b, decision: deny}]
`)
	tr.write("managed/"+bundleB+"/more.yaml", ruleFile("included"))
	tr.write("managed/"+bundleB+"/hooks.d/broken.yaml", "version: 1\nhooks: {\n")
	tr.link(FleetActive, "bundles/aa")
	tr.link(FleetTrial, "bundles/bb")
	c := tr.load()
	for i := range c.Hooks {
		h := &c.Hooks[i]
		if h.Shadow != (h.Name != "a") || h.Broken != "" && h.OnFault != checkrein.FaultIgnore {
			t.Errorf("%s: shadow %v, on fault %v", h.Label(), h.Shadow, h.OnFault)
		}
	}
	for _, name := range []string{"a", "b", "included"} {
		if !slices.ContainsFunc(c.Hooks, func(h checkrein.Hook) bool { return h.Name == name }) {
			t.Errorf("no hook %s: %v", name, c.Err())
		}
	}
	s := c.Settings
	if len(s.Packs) != 1 || !s.Packs[0].Trial {
		t.Errorf("packs: %+v", s.Packs)
	}
	if s.ProjectMayAllow || s.SelfApprove || s.Walls.Contain != 0 || s.Walls.Write != nil || s.Grants != nil || c.Managed.SelfApprove {
		t.Errorf("its settings count: %+v", s)
	}
}

// TestFleetWithoutRoot checks that the bundle of a machine that joined without root counts like the user's
// own files, and that none is on trial there.
func TestFleetWithoutRoot(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", ruleFile("own"))
	tr.write("user/"+bundleA+"/checkrein.yaml", ruleFile("a"))
	tr.write("user/"+bundleB+"/checkrein.yaml", ruleFile("b"))
	tr.write("user/fleet/freeze.yaml", ruleFile("frozen"))
	for name, target := range map[string]string{FleetActive: "bundles/aa", FleetTrial: "bundles/bb"} {
		if err := os.Symlink(target, tr.path("user/fleet/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	wantNames(t, tr.load(), "user own, user a, user frozen")
	wantNames(t, tr.load(func(o *Options) { o.Policy = tr.path("user/checkrein.yaml") }), "user own")
}

// TestFleetLinks checks that a link that does not lead to a bundle closes gates if it is the enforced
// one, and none if it is on trial.
func TestFleetLinks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ active, trial, want string }{
		{"", "", ""},
		{"bundles/aa", "", "managed a"},
		{"bundles/missing", "", "managed configuration!"},
		{"../../elsewhere", "bundles/aa", "managed configuration!, managed a"},
		{"bundles/..", "", "managed configuration!"},
		{"bundles/aa", "bundles/missing", "managed a, managed configuration!"},
	} {
		tr := newTree(t)
		tr.write("managed/"+bundleA+"/checkrein.yaml", ruleFile("a"))
		for name, target := range map[string]string{FleetActive: tt.active, FleetTrial: tt.trial} {
			if target != "" {
				tr.link(name, target)
			}
		}
		wantNames(t, tr.load(), tt.want)
	}
}

func TestFleetAdministrator(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	const who = "your organization's administrator"
	tr.write("managed/"+bundleA+"/bundle.json", `{"name":"base","version":7}`)
	for name, want := range map[string]string{
		"managed/" + bundleA + "/hooks.d/x.yaml": who + ", fleet bundle base 7,",
		"managed/" + bundleB + "/checkrein.yaml": who + ", fleet bundle bb,",
		"managed/fleet/freeze.yaml":              who,
		"managed/checkrein.yaml":                 "",
	} {
		if got := FleetAdministrator(tr.path(name)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
