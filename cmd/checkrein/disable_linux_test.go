package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A guard is disabled by a person, who is asked in their terminal; an agent cannot, also
// not a hook that guards nothing.
func TestDisableAsksThePerson(t *testing.T) {
	t.Parallel()
	const file = "version: 1\npacks: []\nhooks:\n  pre_tool_use:\n    - {name: no-frob, type: rule, if: {command: {contains: frob}}, decision: deny}\n  turn_start:\n    - {name: tells, type: rule, context: hello}\n"
	d := newDesk(t, file, "version: 1\n")
	checkrein := filepath.Join(programs, "checkrein")
	judged := func() string {
		c := d.command("sh", "-c", `echo '{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"frob"}}' | checkrein eval`)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
		return string(out)
	}
	x := startInTerminal(t, d.command(checkrein, "hooks", "disable", "no-frob"))
	x.expect("Disable 1 guard? [y/N] ")
	x.typeKeys("n\n")
	x.expect("nothing was changed")
	if code := x.waitForExit(); code != 4 || !strings.HasPrefix(judged(), "deny") {
		t.Errorf("exit %d; %s", code, judged())
	}
	x = startInTerminal(t, d.command(checkrein, "hooks", "disable", "no-frob"))
	x.expect("Disable 1 guard? [y/N] ")
	x.typeKeys("y\n")
	x.expect("checkrein hooks enable no-frob")
	if code := x.waitForExit(); code != 0 || strings.HasPrefix(judged(), "deny") {
		t.Errorf("exit %d; %s", code, judged())
	}
	if code, said := d.run("hooks", "enable", "no-frob"); code != 0 || !strings.HasPrefix(judged(), "deny") {
		t.Errorf("exit %d, %s; %s", code, said, judged())
	}
	own := newDesk(t, "version: 1\n", "version: 1\n")
	x = startInTerminal(t, own.command(checkrein, "hooks", "disable", "packs"))
	x.expect("This switches off every pack: ")
	x.expect("Disable all guard packs? [y/N] ")
	x.typeKeys("n\n")
	x.expect("nothing was changed")
	x.waitForExit()
	// This test is the host from here on: it calls hooks more than once.
	for range 2 {
		hook := d.command("sh", "-c", `echo '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}' | checkrein hook claude; true`)
		if out, err := hook.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	for _, words := range [][]string{{"disable", "no-frob"}, {"disable", "tells"}, {"enable", "tells"}} {
		if code, said := d.run(append([]string{"hooks"}, words...)...); code != 4 || !strings.Contains(said, "an agent is running this command") {
			t.Errorf("%v: exit %d, %s", words, code, said)
		}
	}
	// The guard sees the command as well, in whatever an agent is given to run.
	c := d.command("sh", "-c", `echo '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"checkrein hooks disable no-frob"}}' | checkrein hook claude`)
	if out, _ := c.CombinedOutput(); !strings.Contains(string(out), `"permissionDecision":"deny"`) {
		t.Errorf("%s", out)
	}
}
