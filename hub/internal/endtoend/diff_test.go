//go:build linux

package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writePolicy writes a bundle that denies what one word is in and asks about what another is in.
func (f *fleet) writePolicy(version int, deny, ask, note string) string {
	dir := filepath.Join(f.dir, fmt.Sprint("policy", version))
	must(f.t, os.MkdirAll(dir, 0o700))
	must(f.t, os.WriteFile(dir+"/bundle.json", fmt.Appendf(nil, `{"name":"base","version":%d,"created":"2026-11-01T00:00:00Z"%s}`, version, note), 0o600))
	rule := func(word, decision string) string {
		return fmt.Sprintf("{name: %s-%s, type: rule, if: {command: {contains: %q}}, decision: %[1]s, reason: the fleet wants it}", decision, strings.Fields(word)[0], word)
	}
	must(f.t, os.WriteFile(dir+"/checkrein.yaml", fmt.Appendf(nil, "version: 1\nhooks: {pre_tool_use: [%s, %s]}\n", rule(deny, "deny"), rule(ask, "ask")), 0o600))
	return dir
}

// TestDiff compares bundles on the records of a fleet.
func TestDiff(t *testing.T) {
	requireFleet(t)
	f := newFleet(t)
	f.join(2)
	const each = 12 // of each machine, two of each command
	for n := range each {
		for _, m := range f.machines {
			must(t, f.hook(m, n))
		}
	}
	f.verify()
	out := f.run(f.admin, "checkrein", "fleet", "push", f.writePolicy(1, "git status", "never", `,"private":["`+f.machines[1].home+`/**"]`), "--enforce", "100%")
	if !strings.Contains(out, "2 of 2 now") || strings.Contains(out, "note:") {
		t.Errorf("the push: %s", out)
	}
	if out := f.run(f.admin, "checkrein", "fleet", "freeze", "--lift"); out != "Nothing was frozen.\n" {
		t.Errorf("lifted without a freeze: %s", out)
	}
	type result struct {
		Calls   int
		Changes []struct {
			Direction string
			Count     int
			Rules     []struct {
				Rule     string
				Count    int
				Examples []struct{ ID, Call string }
			}
		}
	}
	diff := func(args ...string) (map[string]string, *result, error) {
		t.Helper()
		out, err := f.try(f.admin, append([]string{"checkrein", "fleet", "diff", "--json"}, args...)...)
		var r result
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		got := map[string]string{}
		for _, c := range r.Changes {
			for _, one := range c.Rules {
				got[c.Direction] += fmt.Sprintf("%s %d ", one.Rule, one.Count)
				if len(one.Examples) == 0 || !strings.Contains(one.Examples[0].ID, "m0") {
					t.Errorf("%s has no example of a machine: %+v", one.Rule, one.Examples)
				}
			}
		}
		return got, &r, err
	}
	next := f.writePolicy(2, "go test", "cat README", "")
	got, r, err := diff(next)
	if err != nil || r.Calls < 2*each || !strings.Contains(got["newly-denied"], "deny-go 4") || !strings.Contains(got["newly-asked"], "ask-cat 4") || !strings.Contains(got["newly-allowed"], "deny-git 4") {
		t.Errorf("%v, %v", got, err)
	}
	if _, _, err := diff(next, "--fail-on", "newly-denied"); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("--fail-on: %v", err)
	}
	if got, _, err := diff(f.dir + "/policy1"); err != nil || len(got) > 0 {
		t.Errorf("the bundle that is enforced, against itself: %v, %v", got, err)
	}
	if got, _, err := diff(next, "--against", "none", "--machine", f.id(f.machines[0]), "--fail-on", "newly-allowed"); err != nil || got["newly-allowed"] != "" || !strings.Contains(got["newly-denied"], "deny-go 2") {
		t.Errorf("against none: %v, %v", got, err)
	}
	if got, _, err := diff(next, "--against", f.writePolicy(3, "go test", "cat README", "")); err != nil || len(got) > 0 {
		t.Errorf("against the same rules: %v, %v", got, err)
	}
	if _, err := f.try(f.admin, "checkrein", "fleet", "diff", f.dir+"/nowhere"); err == nil {
		t.Error("a bundle that is missing")
	}

	// From now on, the second machine's records are private.
	f.eventually("the machines run the bundle", func() bool {
		return strings.Contains(f.run(f.machines[1].env, "checkrein", "fleet", "status"), "bundles/base-1")
	})
	before := r.Calls
	must(t, f.hook(f.machines[1], 0))
	must(t, f.hook(f.machines[0], 0))
	f.eventually("the first machine's call is there, and the second one's is not", func() bool { _, r, _ := diff(next); return r.Calls == before+1 })
}

// id returns the id of a machine.
func (f *fleet) id(m *member) string {
	data, err := os.ReadFile(m.home + "/.config/checkrein/fleet/machine.json")
	must(f.t, err)
	var e struct{ Machine string }
	must(f.t, json.Unmarshal(data, &e))
	return e.Machine
}
