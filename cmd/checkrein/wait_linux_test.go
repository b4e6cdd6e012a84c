package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// answered returns the decisions in the records of calls, oldest first.
func (d *desk) answered() (out []string) {
	d.t.Helper()
	_, text := d.run("audit", "query", "--json", "--oldest", "--event", "pre_tool_use")
	for dec := json.NewDecoder(strings.NewReader(text)); dec.More(); {
		var r struct {
			Decision string
			Again    bool
		}
		if err := dec.Decode(&r); err != nil {
			d.t.Fatalf("%v: %s", err, text)
		}
		if r.Again {
			r.Decision += " again"
		}
		out = append(out, r.Decision)
	}
	return out
}

// TestCallWaits has calls wait for an answer: one that is allowed meanwhile passes without another try,
// silence denies, and the host's own limit ends the wait.
func TestCallWaits(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\napprovals: {wait: 1h}\n", "version: 1\n")
	type reply struct{ decision, reason string }
	replies := make(chan reply, 1)
	go func() {
		decision, reason, _ := d.askHook(overwrite, "s1", "c1")
		replies <- reply{decision, reason}
	}()
	handle := ""
	for handle == "" {
		_, text := d.run("approvals", "--json")
		var list struct{ Approvals []struct{ Handle string } }
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if len(list.Approvals) > 0 {
			handle = list.Approvals[0].Handle
		}
	}
	x := startInTerminal(t, d.command("bash", "--norc", "-i")) // beside an agent that runs, a person needs a shell
	x.typeKeys("checkrein allow " + handle + " --once\n")
	x.expect("Allow it? [y/N] ")
	x.typeKeys("y\n")
	x.expect("allowed (grant ")
	if r := <-replies; r.decision != "" {
		t.Errorf("a call that was allowed while it waited: %v", r)
	}
	if got := strings.Join(d.answered(), ", "); got != "deny, none again" {
		t.Errorf("the records: %s", got)
	}
	if code, text := d.run("audit", "verify"); code != 0 {
		t.Error(text)
	}

	d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\napprovals: {wait: 1s}\n")
	if decision, _, _ := d.askHook(overwrite, "s1", "c2"); decision != "deny" {
		t.Errorf("silence: %q", decision)
	}
	d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\napprovals: {wait: 1h}\n")
	began := time.Now()
	out := d.asHost("checkrein hook claude --within 3 <" + filepath.Join(d.home, "event.json"))
	if !strings.Contains(out, `"deny"`) {
		t.Errorf("at the limit of the host: %s", out)
	}
	t.Logf("the host's limit of 3 s ended the wait after %v", time.Since(began))
	if got := strings.Join(d.answered(), ", "); got != "deny, none again, deny, deny" {
		t.Errorf("the records: %s", got)
	}
	// A project's file cannot keep an agent waiting.
	d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\n")
	d.write(filepath.Join(d.project, "checkrein.yaml"), "version: 1\napprovals: {wait: 1h}\n")
	if decision, _, _ := d.askHook(overwrite, "s1", "c3"); decision != "deny" {
		t.Errorf("with a project's setting: %q", decision)
	}
}
