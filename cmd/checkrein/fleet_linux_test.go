package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// addBundle unpacks a bundle on the machine and points the symlink link to it.
func (m *managedMachine) addBundle(link, digest, policy string) {
	m.t.Helper()
	dir := filepath.Join(m.etc, "checkrein/fleet")
	for name, text := range map[string]string{"bundle.json": `{"name":"base","version":7}`, "checkrein.yaml": policy} {
		path := filepath.Join(dir, "bundles", digest, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
	_ = os.Remove(filepath.Join(dir, link))
	if err := os.Symlink("bundles/"+digest, filepath.Join(dir, link)); err != nil {
		m.t.Fatal(err)
	}
}

// TestFleetMachine checks on a machine with an /etc of its own that the programs enforce the bundle of a
// fleet, try another one without a change of any answer, and freeze.
func TestFleetMachine(t *testing.T) {
	t.Parallel()
	m := newManagedMachine(t, "version: 1\n")
	m.addBundle("active", "aa", "version: 1\nhooks:\n  pre_tool_use: [{name: policy, type: rule, if: {command: {contains: ls}}, decision: deny, reason: not here}]\n")
	m.checkOutput(callLs, `"permissionDecision":"deny"`, "not here", "Your organization's administrator, fleet bundle base 7, decides that in /etc/checkrein/fleet/bundles/aa/checkrein.yaml")
	// What was parsed is cached for every user of the machine, under the same conditions as other
	// managed files.
	cached, err := os.ReadDir(filepath.Join(m.etc, "checkrein/cache"))
	if err != nil || len(cached) != 2 {
		t.Errorf("%d files are cached, want those of the machine and the bundle: %v", len(cached), err)
	}
	m.checkOutput("checkrein hooks list", "policy", "/etc/checkrein/fleet/bundles/aa/checkrein.yaml")

	// One with a mistake, which the service would not have activated.
	m.addBundle("active", "bb", "version: 1\nhooks:\n  pre_tool_use: [{name: policy, type: rule, decison: deny}]\n")
	const ask = "ask your organization's administrator, fleet bundle base 7, to correct /etc/checkrein/fleet/bundles/bb/checkrein.yaml"
	m.checkOutput(callLs, `"permissionDecision":"deny"`, ask)
	for _, command := range []string{"status", "doctor", "validate", "hooks list"} {
		m.checkOutput("checkrein "+command, `unknown key "decison"`, ask)
	}

	m.addBundle("active", "cc", "version: 1\n")
	m.addBundle("trial", "aa", "version: 1\nhooks:\n  pre_tool_use: [{name: policy, type: rule, if: {command: {contains: ls}}, decision: deny, reason: not here}]\n")
	m.checkOutput(callLs, `!"permissionDecision":"deny"`)
	m.checkOutput("checkrein audit query --json --limit 1", `"trial":{`, `"would":"deny"`)
	m.checkOutput("checkrein shadow report", "policy")

	freeze := filepath.Join(m.etc, "checkrein/fleet/freeze.yaml")
	for end, want := range map[string]string{"2999-01-31T18:00:00Z": `"permissionDecision":"deny"`, "2026-01-31T18:00:00Z": `!"permissionDecision":"deny"`} {
		text := "version: 1\nhooks:\n  pre_tool_use: [{name: fleet-freeze, type: builtin, command: freeze, args: [\"until=" + end + "\", \"by=ada\", \"reason=an incident\"]}]\n"
		if err := os.WriteFile(freeze, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		m.checkOutput(callLs, want)
		if !strings.HasPrefix(want, "!") {
			m.checkOutput(callLs, "by ada: an incident", "2999-01-31")
		}
	}
}
