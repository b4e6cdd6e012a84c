package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const guarded = "version: 1\nhooks:\n  pre_tool_use:\n    - {name: guard, type: rule, decision: deny}\n"

// This test is the host: it calls hooks through a shell, and then has a tool
// leave it behind. An orphan is nobody's, so it is not a person's.
func TestOrphanCannotApprove(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\npacks: []\n", guarded)
	for range 2 {
		hook := d.command("sh", "-c", `echo '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}' | checkrein hook claude; true`)
		if out, err := hook.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	if code, said := d.run("hooks", "approve", "--all"); code != 4 || !strings.Contains(said, "an agent is running this command") {
		t.Fatalf("exit %d, %s", code, said)
	}
	// The inner shell waits until the outer one is gone, and says who took it in.
	orphan := `mkfifo left
(OUTER=$$ setsid sh -c 'while kill -0 $OUTER 2>/dev/null; do :; done
	cut -d" " -f4 /proc/$$/stat >adopter
	checkrein hooks approve --all >said 2>&1
	echo $? >left' >/dev/null 2>&1 &)`
	if out, err := d.command("sh", "-c", orphan).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	code, err := os.ReadFile(filepath.Join(d.project, "left")) // when somebody writes to it
	if err != nil {
		t.Fatal(err)
	}
	said, _ := os.ReadFile(filepath.Join(d.project, "said"))
	adopter, _ := os.ReadFile(filepath.Join(d.project, "adopter"))
	if strings.TrimSpace(string(adopter)) != "1" {
		t.Skipf("SKIPPED: process %s takes orphans in here, which may be any program", strings.TrimSpace(string(adopter)))
	}
	if strings.TrimSpace(string(code)) != "4" || !strings.Contains(string(said), "cannot tell who runs this command") {
		t.Errorf("exit %s, %s", code, said)
	}
}

// A host that is no shell, and is started from a script, is known itself; the
// script's other children are not below it.
func TestSiblingOfHostIsNotBelowIt(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("awk"); err != nil {
		t.Skip("SKIPPED: there is no awk")
	}
	d := newDesk(t, "version: 1\npacks: []\n", guarded)
	d.write(filepath.Join(d.project, "event.json"), `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	script := `awkhost 'BEGIN { system("timeout 60 checkrein hook claude <event.json >/dev/null; true"); system("checkrein hooks approve --all") }' >/dev/null 2>&1
checkrein hooks approve --all`
	if out, err := d.command("sh", "-c", script).CombinedOutput(); err != nil || !strings.Contains(string(out), "approved  pre_tool_use  guard") {
		t.Errorf("%v %s", err, out)
	}
}
