package main

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A person sees calls while they happen, and explains and allows one of them with keys.
func TestWatch(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	skipBelowTerminal(t)
	d := newDesk(t, "version: 1\npacks: []\nhooks:\n  pre_tool_use:\n    - {name: guard, type: rule, if: {command: {contains: danger}}, decision: deny, reason: 'no, never'}\n", "version: 1\n")
	call := func(command string) {
		t.Helper()
		hook := d.command(filepath.Join(programs, "ashost"), "sh -c 'checkrein hook claude; true'")
		hook.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"` + d.project + `","tool_name":"Bash","tool_input":{"command":"` + command + `"}}`)
		if out, err := hook.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	call("echo first")
	cmd := d.command("bash", "--norc", "-i")
	cmd.Env = slices.Concat(cmd.Env, []string{"TERM=xterm", "PS1=$ ", "PAGER=cat"})
	x := startInTerminal(t, cmd)
	x.typeKeys("stty rows 12 cols 100; checkrein watch; echo exit is $?\n")
	x.expect("echo first")
	call("danger one")
	x.expect("denied")
	x.expect("danger one")
	x.expect("no, never")
	x.typeKeys("e")
	x.expect("$ checkrein explain ")
	x.expect("DENIED")
	x.expect("Press Enter to go back")
	x.typeKeys("\n")
	x.expect("w waiting")
	x.typeKeys("u")
	x.expect("nothing to undo")
	x.typeKeys("a")
	x.expect("$ checkrein allow ")
	x.expect("[y/N]")
	x.typeKeys("y\n")
	x.expect("Press Enter to go back")
	x.typeKeys("\n")
	x.expect("w waiting")
	call("danger two")
	x.expect("danger two")
	x.typeKeys("a")
	x.expect("$ checkrein allow ")
	x.expect("[y/N]")
	x.typeKeys("\x03") // which answers no, and ends watch
	x.expect("exit is 0")
	x.typeKeys("stty -a; echo after $?\n")
	x.expect(" icanon ")
	x.expect("after 0")
	if _, said := d.run("allow", "--list", "--json"); !strings.Contains(said, "danger one") || strings.Contains(said, "danger two") {
		t.Errorf("grants: %s", said)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if strings.Contains(x.text.String(), "\x1b[1;31m") { // NO_COLOR is set
		t.Errorf("colours in %q", x.text.String())
	}
}

// Where stdout is no terminal, watch prints plain lines until Ctrl-C.
func TestWatchIntoAPipe(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\npacks: []\n", "version: 1\n")
	hook := d.command("sh", "-c", "checkrein hook claude; true")
	hook.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"` + d.project + `","tool_name":"Bash","tool_input":{"command":"echo hello"}}`)
	if out, err := hook.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	cmd := d.command(filepath.Join(programs, "checkrein"), "watch")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, "echo hello") || strings.Contains(line, "\x1b") {
		t.Errorf("%v %q", err, line)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
