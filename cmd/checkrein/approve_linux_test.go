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
		x := startInTerminal(t, d.command(program, "hooks", "approve", "--all"))
		x.expect("to approve  pre_tool_use  guard")
		x.expect("its definition (never approved before):")
		x.expect("echo the guard")
		x.expect("Approve this hook, exactly as shown? [y/N] ")
		if _, out := d.run("hooks", "list"); regexp.MustCompile(`(?m)^✓ guard .* approved$`).MatchString(out) {
			t.Errorf("it is approved before the answer:\n%s", out)
		}
		x.typeKeys(tt.keys)
		x.expect(tt.says)
		if tt.approved {
			x.expect(`1 hook not approved:`)
			x.expect(`hook "wrong"`)
		}
		if code := x.waitForExit(); code != tt.code {
			t.Errorf("%q: exit code %d, want %d", tt.keys, code, tt.code)
		}
		_, out := d.run("hooks", "list")
		if got := regexp.MustCompile(`(?m)^✓ guard .* approved$`).MatchString(out); got != tt.approved {
			t.Errorf("%q: approved %v\n%s", tt.keys, got, out)
		}
	}
	x := startInTerminal(t, d.command(program, "hooks", "approve", "--yes", "guard"))
	x.expect("approved  pre_tool_use  guard")
	if code := x.waitForExit(); code != 0 {
		t.Errorf("--yes: exit code %d", code)
	}
}

// Approve asks one question for each hook whose files are unknown.
func TestApproveAsksAboutUndeterminableFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\n", `version: 1
hooks:
  pre_tool_use:
    - {name: plain, type: command, command: "true"}
    - {name: picks, type: command, command: 'sh "$(cat which)"'}
    - {name: also, type: command, command: 'sh "$(cat other)"'}
`)
	x := startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "hooks", "approve", "--all", "--cannot-tell"))
	x.expect("to approve  pre_tool_use  plain")
	x.expect("cannot verify  pre_tool_use  picks")
	x.expect("cannot tell which files it runs: ")
	x.expect("Approve this hook, exactly as shown? [y/N] ")
	x.typeKeys("y\n")
	x.expect("picks")
	x.expect("checkrein cannot tell which files it runs, so it would not notice changes to them. Approve it anyway? [y/N] ")
	x.typeKeys("\n")
	x.expect("also")
	x.expect("Approve it anyway? [y/N] ")
	x.typeKeys("y\n")
	x.expect("approved  pre_tool_use  plain")
	x.expect("approved  pre_tool_use  also")
	x.expect("1 hook not approved:")
	if code := x.waitForExit(); code != 1 {
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
	x := startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "run", file, "--yolo", "Run: touch ran"))
	x.expect("runs files in this project, and 1 hook of agent root would run:")
	x.expect("with ")
	x.expect("cat >heard")
	x.expect("Let them run, exactly as they are now? (y/n) ")
	x.typeKeys("y\n")
	if code := x.waitForExit(); code != 0 { // a prompt that is answered ends it, at a terminal too
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
	x := startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "run", "agent.yaml"))
	x.expect("> ")
	x.typeKeys("/hooks\n")
	x.expect("turn_start#1")
	x.expect("> ")
	x.typeKeys("/hooks revoke sh ./guard.sh\n")
	x.expect("revoked  turn_start  turn_start#1")
	x.expect("revoked  turn_end  turn_end#1")
	x.expect("> ")
	x.typeKeys("/hooks approve sh ./guard.sh\n")
	x.expect("to approve  turn_start")
	x.expect("Approve these 2 hooks, exactly as shown? [y/N] ")
	x.typeKeys("n\n")
	x.expect("nothing was approved")
	x.typeKeys("/hooks approve sh ./guard.sh\n")
	x.expect("exactly as shown? [y/N] ")
	x.typeKeys("y\n")
	x.expect("approved  turn_start")
	x.expect("approved  turn_end")
	x.typeKeys("/exit\n")
	x.waitForExit()
}
