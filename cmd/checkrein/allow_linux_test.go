package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A guardedDesk is a desk at which nothing is configured.
func guardedDesk(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t, "version: 1\n", "version: 1\n")
	return d
}

// askHook sends a shell call to the hook and returns the decision, the reason and the handle in it.
func (d *desk) askHook(command, session, call string) (decision, reason, handle string) {
	d.t.Helper()
	payload, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": session, "cwd": d.project,
		"tool_name": "Bash", "tool_input": map[string]any{"command": command, "description": "call " + call}, "tool_use_id": call})
	if err != nil {
		d.t.Fatal(err)
	}
	file := filepath.Join(d.home, "event.json")
	d.write(file, string(payload))
	out := d.asHost("checkrein hook claude <" + file)
	var reply struct {
		Out struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if s := strings.TrimSpace(out); s != "" {
		if err := json.Unmarshal([]byte(s), &reply); err != nil {
			d.t.Fatalf("%v: %s", err, s)
		}
	}
	if m := regexp.MustCompile(`checkrein allow ([0-9a-f]+)`).FindStringSubmatch(reply.Out.Reason); m != nil {
		handle = m[1]
	}
	return reply.Out.Decision, reply.Out.Reason, handle
}

// allow runs checkrein allow at a terminal, answers yes, and returns the terminal's text.
func (d *desk) allow(args ...string) string {
	d.t.Helper()
	x := startInTerminal(d.t, d.command(filepath.Join(programs, "checkrein"), append([]string{"allow"}, args...)...))
	x.expect("Allow it? [y/N] ")
	x.typeKeys("y\n")
	x.expect("allowed (grant ")
	if code := x.waitForExit(); code != 0 {
		d.t.Fatalf("exit %d: %s", code, x.text.String())
	}
	return x.text.String()
}

const overwrite = "docker volume rm data"

// A call is denied, a person allows it once, it passes, and the next one is denied.
func TestAllowOnce(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	decision, reason, handle := d.askHook(overwrite, "s1", "c1")
	if decision != "deny" || handle == "" || !strings.HasPrefix(reason, "checkrein blocked docker volume rm data: ") || !strings.Contains(reason, "[containers/volume-remove]") {
		t.Fatalf("%s: %s", decision, reason)
	}
	shown := d.allow(handle, "--once")
	for _, want := range []string{"call      docker volume rm data", "containers/volume-remove", "one call in"} {
		if !strings.Contains(shown, want) {
			t.Errorf("allow does not show %q:\n%s", want, shown)
		}
	}
	for i, want := range []string{"", "", "deny"} {
		// The second is the first one judged again.
		call := []string{"c2", "c2", "c3"}[i]
		if got, reason, _ := d.askHook("docker  volume rm data", "s2", call); got != want {
			t.Errorf("%s: %q, want %q: %s", call, got, want, reason)
		}
	}
	if _, out := d.run("audit", "query", "--json"); strings.Count(out, `"lifted":{"grant":"g1","decision":"deny"`) != 2 || !strings.Contains(out, `"handle":"`+handle) {
		t.Errorf("records: %s", out)
	}
	if code, out := d.run("audit", "verify"); code != 0 {
		t.Errorf("verify: %s", out)
	}
	if _, out := d.run("allow", "--list"); !strings.Contains(out, "1 grant from the last day already used up") || strings.Contains(out, "--revoke") {
		t.Errorf("a used-up grant is offered to be revoked: %s", out)
	}
}

// Each scope of a grant ends where it should.
func TestAllowScopes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		flag                      string
		same, other, after, ended string // decisions: same session, another one, after session end, after revocation
	}{
		{"--session", "", "deny", "deny", "deny"},
		{"--for=2h", "", "", "", "deny"},
		{"--project", "", "", "", "deny"},
		{"--always", "", "", "", "deny"},
	} {
		t.Run(tt.flag, func(t *testing.T) {
			t.Parallel()
			d := guardedDesk(t)
			_, _, handle := d.askHook(overwrite, "s1", "c1")
			d.allow(handle, tt.flag)
			expect := func(when, session, call, want string) {
				t.Helper()
				if got, reason, _ := d.askHook(overwrite, session, call); got != want {
					t.Errorf("%s: %q, want %q: %s", when, got, want, reason)
				}
			}
			expect("the same session", "s1", "c2", tt.same)
			expect("again", "s1", "c3", tt.same)
			expect("another session", "s2", "c4", tt.other)
			file := filepath.Join(d.home, "end.json")
			d.write(file, fmt.Sprintf(`{"hook_event_name":"SessionEnd","session_id":"s1","cwd":%q,"reason":"other"}`, d.project))
			d.asHost("checkrein hook claude --within 600 <" + file)
			expect("after the session", "s1", "c5", tt.after)
			if tt.flag != "--session" {
				if code, out := d.run("allow", "--revoke", "g1"); code != 0 {
					t.Errorf("revoke: %s", out)
				}
			}
			expect("revoked", "s1", "c6", tt.ended)
			if got, _, _ := d.askHook("docker volume rm data other", "s1", "c7"); got != "deny" {
				t.Error("more than was allowed passes")
			}
		})
	}
}

// Input that was typed before the question does not answer it.
func TestAllowDiscardsTypeahead(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	_, _, handle := d.askHook(overwrite, "s1", "c1")
	cmd := d.command("sh", "-c", "sleep 0.5; exec checkrein allow "+handle)
	x := startInTerminal(t, cmd)
	x.typeKeys("y\ny\ny\n")
	x.expect("Allow it? [y/N] ")
	x.typeKeys("n\n")
	x.expect("nothing was changed")
	if code := x.waitForExit(); code != 4 {
		t.Errorf("exit %d", code)
	}
	if got, _, _ := d.askHook(overwrite, "s1", "c2"); got != "deny" {
		t.Error("it passes")
	}
}

// The picker offers the newest blocks; an unknown handle is an error with a remedy.
func TestAllowChoosesCall(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	d.askHook("docker volume rm first", "s1", "c1")
	d.askHook("docker volume rm second", "s1", "c2")
	x := startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "allow"))
	x.expect("docker volume rm second")
	x.expect("docker volume rm first")
	x.expect("Which one?")
	x.typeKeys("2\n")
	x.expect("call      docker volume rm first")
	x.expect("[y/N] ")
	x.typeKeys("y\n")
	x.expect("allowed")
	x.waitForExit()
	x = startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "allow"))
	x.expect("Which one?")
	x.typeKeys("\n")
	x.waitForExit()
	if shown := x.text.String(); strings.Count(shown, "allowed already (g1)") != 1 || strings.Index(shown, "allowed already") < strings.Index(shown, "volume rm second") {
		t.Errorf("what is allowed already has no mark:\n%s", shown)
	}
	if got, _, _ := d.askHook("docker volume rm first", "s1", "c3"); got != "" {
		t.Error("what was picked is denied")
	}
	x = startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "allow", "beef1"))
	x.expect("no call blocked in the last day has the handle beef1. To list the newest blocks, run checkrein allow")
	if code := x.waitForExit(); code != 4 {
		t.Errorf("exit %d", code)
	}
}

// An agent's shell, or a pipe, can neither grant nor pause.
func TestOnlyAPersonAllows(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	_, _, handle := d.askHook(overwrite, "s1", "c1")
	for _, args := range [][]string{{"allow", handle}, {"pause", "30m"}} {
		if code, out := d.run(args...); code != 4 || !strings.Contains(out, "your own terminal") {
			t.Errorf("%v without a terminal: exit %d, %s", args, code, out)
		}
	}
	d.write(filepath.Join(d.project, "ls.json"), event("ls"))
	said := d.asHost(`checkrein hook claude <ls.json >/dev/null
echo y | checkrein allow ` + handle + `; echo "allow $?"
echo y | checkrein pause 30m; echo "pause $?"
checkrein wrong ` + handle + `; echo "wrong $?"
checkrein allow --revoke all; echo "revoke $?"
checkrein allow --list; echo "list $?"
`)
	for _, want := range []string{"allow 4", "pause 4", "wrong 4", "revoke 4", "list 0"} {
		if !strings.Contains(said, want+"\n") {
			t.Errorf("want %s in:\n%s", want, said)
		}
	}
}

// A pause lets everything pass except what self-protection denies, is shown everywhere, and ends.
func TestPause(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	x := startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "pause", "30m", "--why", "moving"))
	x.expect("Pause the guard? [y/N] ")
	x.typeKeys("y\n")
	x.expect("paused; to end it: checkrein pause off")
	x.waitForExit()
	if got, reason, _ := d.askHook(overwrite, "s1", "c1"); got != "" {
		t.Errorf("paused, and %s: %s", got, reason)
	}
	if got, _, _ := d.askHook("checkrein hooks off", "s1", "c2"); got != "deny" {
		t.Error("self-protection is paused too")
	}
	for _, args := range [][]string{{"status"}, {"hooks", "list"}, {"doctor", "--no-run"}, {"pause"}} {
		if _, out := d.run(args...); !regexp.MustCompile(`paused until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b`).MatchString(out) {
			t.Errorf("%v does not say it: %s", args, out)
		}
	}
	if _, out := d.run("audit", "query", "--json"); !strings.Contains(out, `"shadow":true`) {
		t.Errorf("no record says it: %s", out)
	}
	if code, out := d.run("pause", "off"); code != 0 {
		t.Error(out)
	}
	if got, _, _ := d.askHook(overwrite, "s1", "c3"); got != "deny" {
		t.Error("the pause goes on")
	}
}

// A call that was reported as a false alarm is suggested, and a yes applies the suggestion.
func TestSuggestApplies(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	_, _, handle := d.askHook(overwrite, "s1", "c1")
	if code, out := d.run("suggest"); code != 0 || !strings.Contains(out, "nothing to suggest") {
		t.Errorf("exit %d: %s", code, out)
	}
	if code, out := d.run("wrong", handle, "--why", "a test volume"); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	if _, out := d.run("suggest"); !strings.Contains(out, "1 denial, marked as a false alarm once") || !strings.Contains(out, "only calls with the same effects on the same targets") {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(filepath.Join(d.home, ".local", "state", "checkrein", "grants.json")); err == nil {
		t.Error("applied without a yes")
	}
	x := startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "suggest"))
	x.expect("Apply it? [y/N] ")
	x.typeKeys("y\n")
	x.expect("applied: grant g1")
	x.waitForExit()
	if got, reason, _ := d.askHook(overwrite, "s3", "c5"); got != "" {
		t.Errorf("%s: %s", got, reason)
	}
	if got, _, _ := d.askHook("docker volume rm other", "s3", "c6"); got != "deny" {
		t.Error("another volume passes too")
	}
}
