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

// hears is what a host hears of a shell call: the decision, the reason and the
// handle in it.
func (d *desk) hears(command, session, call string) (decision, reason, handle string) {
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

// allows runs allow at a terminal of the person's own and says yes.
func (d *desk) allows(args ...string) string {
	d.t.Helper()
	x := sit(d.t, d.command(filepath.Join(programs, "checkrein"), append([]string{"allow"}, args...)...))
	x.sees("Allow it? [y/N] ")
	x.types("y\n")
	x.sees("allowed (grant ")
	if code := x.ends(); code != 0 {
		d.t.Fatalf("exit %d: %s", code, x.text.String())
	}
	return x.text.String()
}

const overwrite = "docker volume rm data"

// A call is denied, a person allows it once, it passes, and the next one is denied.
func TestAllowOnce(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	decision, reason, handle := d.hears(overwrite, "s1", "c1")
	if decision != "deny" || handle == "" || !strings.HasPrefix(reason, "checkrein blocked docker volume rm data: ") || !strings.Contains(reason, "[containers/volume-remove]") {
		t.Fatalf("%s: %s", decision, reason)
	}
	shown := d.allows(handle, "--once")
	for _, want := range []string{"call      docker volume rm data", "containers/volume-remove", "one call in"} {
		if !strings.Contains(shown, want) {
			t.Errorf("allow does not show %q:\n%s", want, shown)
		}
	}
	for i, want := range []string{"", "", "deny"} {
		// The second is the first one judged again.
		call := []string{"c2", "c2", "c3"}[i]
		if got, reason, _ := d.hears("docker  volume rm data", "s2", call); got != want {
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
			_, _, handle := d.hears(overwrite, "s1", "c1")
			d.allows(handle, tt.flag)
			expect := func(when, session, call, want string) {
				t.Helper()
				if got, reason, _ := d.hears(overwrite, session, call); got != want {
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
			if got, _, _ := d.hears("docker volume rm data other", "s1", "c7"); got != "deny" {
				t.Error("more than was allowed passes")
			}
		})
	}
}

// Input that was typed before the question does not answer it.
func TestAllowForgetsWhatWasTypedAhead(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	_, _, handle := d.hears(overwrite, "s1", "c1")
	cmd := d.command("sh", "-c", "sleep 0.5; exec checkrein allow "+handle)
	x := sit(t, cmd)
	x.types("y\ny\ny\n")
	x.sees("Allow it? [y/N] ")
	x.types("n\n")
	x.sees("nothing was changed")
	if code := x.ends(); code != 4 {
		t.Errorf("exit %d", code)
	}
	if got, _, _ := d.hears(overwrite, "s1", "c2"); got != "deny" {
		t.Error("it passes")
	}
}

// The picker offers the newest blocks; an unknown handle is an error with a remedy.
func TestAllowPicks(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	d.hears("docker volume rm first", "s1", "c1")
	d.hears("docker volume rm second", "s1", "c2")
	x := sit(t, d.command(filepath.Join(programs, "checkrein"), "allow"))
	x.sees("docker volume rm second")
	x.sees("docker volume rm first")
	x.sees("Which one?")
	x.types("2\n")
	x.sees("call      docker volume rm first")
	x.sees("[y/N] ")
	x.types("y\n")
	x.sees("allowed")
	x.ends()
	x = sit(t, d.command(filepath.Join(programs, "checkrein"), "allow"))
	x.sees("Which one?")
	x.types("\n")
	x.ends()
	if shown := x.text.String(); strings.Count(shown, "allowed already (g1)") != 1 || strings.Index(shown, "allowed already") < strings.Index(shown, "volume rm second") {
		t.Errorf("what is allowed already has no mark:\n%s", shown)
	}
	if got, _, _ := d.hears("docker volume rm first", "s1", "c3"); got != "" {
		t.Error("what was picked is denied")
	}
	x = sit(t, d.command(filepath.Join(programs, "checkrein"), "allow", "beef1"))
	x.sees("no call blocked in the last day has the handle beef1. To list the newest blocks, run checkrein allow")
	if code := x.ends(); code != 4 {
		t.Errorf("exit %d", code)
	}
}

// An agent's shell, or a pipe, can neither grant nor pause.
func TestOnlyAPersonAllows(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	_, _, handle := d.hears(overwrite, "s1", "c1")
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
	x := sit(t, d.command(filepath.Join(programs, "checkrein"), "pause", "30m", "--why", "moving"))
	x.sees("Pause the guard? [y/N] ")
	x.types("y\n")
	x.sees("paused; to end it: checkrein pause off")
	x.ends()
	if got, reason, _ := d.hears(overwrite, "s1", "c1"); got != "" {
		t.Errorf("paused, and %s: %s", got, reason)
	}
	if got, _, _ := d.hears("checkrein hooks off", "s1", "c2"); got != "deny" {
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
	if got, _, _ := d.hears(overwrite, "s1", "c3"); got != "deny" {
		t.Error("the pause goes on")
	}
}

// A call that was reported as a false alarm is suggested, and a yes applies the suggestion.
func TestSuggestApplies(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	_, _, handle := d.hears(overwrite, "s1", "c1")
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
	x := sit(t, d.command(filepath.Join(programs, "checkrein"), "suggest"))
	x.sees("Apply it? [y/N] ")
	x.types("y\n")
	x.sees("applied: grant g1")
	x.ends()
	if got, reason, _ := d.hears(overwrite, "s3", "c5"); got != "" {
		t.Errorf("%s: %s", got, reason)
	}
	if got, _, _ := d.hears("docker volume rm other", "s3", "c6"); got != "deny" {
		t.Error("another volume passes too")
	}
}
