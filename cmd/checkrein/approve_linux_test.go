package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// newRunDesk is a desk at which agents run. Their ledger's upkeep may outlive the
// test, and make directories anew that were removed.
func newRunDesk(t *testing.T) *desk {
	t.Helper()
	return newDesk(t, "version: 1\n", "version: 1\n")
}

// Approve shows everything, asks, and follows the person's answer.
func TestApproveAsks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\n", `version: 1
hooks:
  pre_tool_use:
    - {name: guard, type: command, command: sh ./guard.sh}
    - {name: wrong, matcher: "(", type: command, command: "true"}
`)
	d.write(filepath.Join(d.project, "guard.sh"), "echo the guard\n")
	program := filepath.Join(programs, "checkrein")
	for _, tt := range []struct {
		keys, says string
		code       int
		approved   bool
	}{
		{"\n", "nothing was approved", 4, false},
		{"n\n", "nothing was approved", 4, false},
		{"y\n", "approved  pre_tool_use  guard", 1, true},
	} {
		x := sit(t, d.command(program, "hooks", "approve", "--all"))
		x.sees("to approve  pre_tool_use  guard")
		x.sees("its definition (never approved before):")
		x.sees("echo the guard")
		x.sees("Approve this hook, exactly as shown? [y/N] ")
		if _, out := d.run("hooks", "list"); regexp.MustCompile(`(?m)^✓ guard .* approved$`).MatchString(out) {
			t.Errorf("it is approved before the answer:\n%s", out)
		}
		x.types(tt.keys)
		x.sees(tt.says)
		if tt.approved {
			x.sees(`1 hook not approved:`)
			x.sees(`hook "wrong"`)
		}
		if code := x.ends(); code != tt.code {
			t.Errorf("%q: exit code %d, want %d", tt.keys, code, tt.code)
		}
		_, out := d.run("hooks", "list")
		if got := regexp.MustCompile(`(?m)^✓ guard .* approved$`).MatchString(out); got != tt.approved {
			t.Errorf("%q: approved %v\n%s", tt.keys, got, out)
		}
	}
	x := sit(t, d.command(program, "hooks", "approve", "--yes", "guard"))
	x.sees("approved  pre_tool_use  guard")
	if code := x.ends(); code != 0 {
		t.Errorf("--yes: exit code %d", code)
	}
}

// Approve asks one question for each hook whose files are unknown.
func TestApproveAsksForWhatCannotBeTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\n", `version: 1
hooks:
  pre_tool_use:
    - {name: plain, type: command, command: "true"}
    - {name: picks, type: command, command: 'sh "$(cat which)"'}
    - {name: also, type: command, command: 'sh "$(cat other)"'}
`)
	x := sit(t, d.command(filepath.Join(programs, "checkrein"), "hooks", "approve", "--all", "--cannot-tell"))
	x.sees("to approve  pre_tool_use  plain")
	x.sees("cannot verify  pre_tool_use  picks")
	x.sees("cannot tell which files it runs: ")
	x.sees("Approve this hook, exactly as shown? [y/N] ")
	x.types("y\n")
	x.sees("picks")
	x.sees("checkrein cannot tell which files it runs, so it would not notice changes to them. Approve it anyway? [y/N] ")
	x.types("\n")
	x.sees("also")
	x.sees("Approve it anyway? [y/N] ")
	x.types("y\n")
	x.sees("approved  pre_tool_use  plain")
	x.sees("approved  pre_tool_use  also")
	x.sees("1 hook not approved:")
	if code := x.ends(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	_, out := d.run("hooks", "list", "--json")
	for id, want := range map[string]string{"plain": "approved", "picks": "not approved", "also": "approved"} {
		if !regexp.MustCompile(`"id":"` + id + `",[^}]*"approval":"` + want + `"`).MatchString(out) {
			t.Errorf("%s is not %s:\n%s", id, want, out)
		}
	}
}

// A person's own agent file that runs a repository's script: yes at the terminal is
// enough, for this run and the next, and no gate is missed afterwards.
func TestRunAsksForOwnFile(t *testing.T) {
	t.Parallel()
	d := newRunDesk(t)
	d.write(filepath.Join(d.project, ".git", "HEAD"), "ref: refs/heads/main\n")
	d.write(filepath.Join(d.project, "guard.sh"), "cat >heard\n")
	file := filepath.Join(t.TempDir(), "agent.yaml")
	d.write(file, `
agents:
  root:
    model: scripted/demo
    toolsets: [{type: shell}]
    hooks:
      session_start: [{name: guard, type: command, command: sh ./guard.sh}]
`)
	x := sit(t, d.command(filepath.Join(programs, "checkrein"), "run", file, "--yolo", "Run: touch ran"))
	x.sees("runs files in this project, and 1 hook of agent root would run:")
	x.sees("with ")
	x.sees("cat >heard")
	x.sees("Let them run, exactly as they are now? (y/n) ")
	x.types("y\n")
	if code := x.ends(); code != 0 { // a prompt that is answered ends it, at a terminal too
		t.Errorf("exit code %d", code)
	}
	if out := x.text.String(); strings.Contains(out, "nobody approved") || strings.Contains(out, "gone") {
		t.Errorf("%s", out)
	}
	for _, name := range []string{"heard", "ran"} {
		if _, err := os.Stat(filepath.Join(d.project, name)); err != nil {
			t.Errorf("%v\n%s", err, x.text.String())
		}
	}
	if code, out := d.run("run", file, "--yolo", "Run: touch again"); code != 0 || strings.Contains(out, "gone") {
		t.Errorf("again: exit code %d: %s", code, out)
	}
}

// In a session the person approves and revokes the hooks of the agent file that runs,
// a command on all of its events, and is asked there.
func TestSlashHooks(t *testing.T) {
	t.Parallel()
	d := newRunDesk(t)
	d.write(filepath.Join(d.project, ".git", "HEAD"), "ref: refs/heads/main\n")
	d.write(filepath.Join(d.project, "guard.sh"), "cat >/dev/null\n")
	d.write(filepath.Join(d.project, "agent.yaml"), `
agents:
  root:
    model: scripted/demo
    toolsets: [{type: shell}]
    hooks:
      turn_start: [{type: command, command: sh ./guard.sh}]
      turn_end: [{type: command, command: sh ./guard.sh}]
`)
	if code, out := d.run("hooks", "approve", "-c", "agent.yaml", "--all"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	x := sit(t, d.command(filepath.Join(programs, "checkrein"), "run", "agent.yaml"))
	x.sees("> ")
	x.types("/hooks\n")
	x.sees("turn_start#1")
	x.sees("> ")
	x.types("/hooks revoke sh ./guard.sh\n")
	x.sees("revoked  turn_start  turn_start#1")
	x.sees("revoked  turn_end  turn_end#1")
	x.sees("> ")
	x.types("/hooks approve sh ./guard.sh\n")
	x.sees("to approve  turn_start")
	x.sees("Approve these 2 hooks, exactly as shown? [y/N] ")
	x.types("n\n")
	x.sees("nothing was approved")
	x.types("/hooks approve sh ./guard.sh\n")
	x.sees("exactly as shown? [y/N] ")
	x.types("y\n")
	x.sees("approved  turn_start")
	x.sees("approved  turn_end")
	x.types("/exit\n")
	x.ends()
}
