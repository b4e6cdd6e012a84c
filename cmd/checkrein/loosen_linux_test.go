package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// event is a payload of a shell call.
func event(command string) string {
	return `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"` + command + `"}}`
}

// asHost runs shell lines below a program that is a host: awk, since a shell may be
// a person's.
func (d *desk) asHost(lines string) string {
	d.t.Helper()
	if _, err := exec.LookPath("awk"); err != nil {
		d.t.Skip("SKIPPED: there is no awk")
	}
	// It is older than its deeds by more than clocks of processes and files differ.
	d.write(filepath.Join(d.project, "host.sh"), "sleep 0.1\n"+lines)
	out, _ := d.command(filepath.Join(programs, "awkhost"), `BEGIN { system("sh host.sh 2>&1") }`).CombinedOutput()
	return string(out)
}

// What a person loosens before a host starts counts. What is loosened while it
// runs is held back, whatever the file's time says, also after the host is gone;
// an agent cannot confirm it, a person can.
func TestLoosenedWhileAHostRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\npacks: [{name: git, off: true}]\n", "version: 1\n")
	d.write(filepath.Join(d.project, "push.json"), event("git push --force origin main"))
	d.write(filepath.Join(d.project, "volume.json"), event("docker volume rm data"))
	file := filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml")
	said := d.asHost(`printf 'push %s\n' "$(checkrein hook claude <push.json)"
printf 'volume %s\n' "$(checkrein hook claude <volume.json)"
printf 'version: 1\npacks: []\nself_approve: true\n' >` + file + `
touch -d '2001-01-01' ` + file + `
printf 'later %s\n' "$(checkrein hook claude <volume.json)"
printf 'push again %s\n' "$(checkrein hook claude <push.json)"
checkrein confirm; echo "confirm $?"
checkrein hooks approve --all; echo "approve $?"
`)
	lines := map[string]string{}
	for line := range strings.Lines(said) {
		for _, name := range []string{"push again ", "push ", "volume ", "later ", "confirm ", "approve "} {
			if rest, ok := strings.CutPrefix(line, name); ok && lines[name] == "" {
				lines[name] = rest
				break
			}
		}
	}
	for name, want := range map[string]struct {
		denied bool
		says   string
	}{
		"push ":       {false, ""},
		"volume ":     {true, "docker volume rm data"},
		"later ":      {true, "because it appeared in your file while an agent was running: packs: [] (all packs off); self_approve: true"},
		"push again ": {false, ""},
		"confirm ":    {false, "4"},
		"approve ":    {false, "4"},
	} {
		got, ok := lines[name]
		if !ok && want.says != "" || strings.Contains(got, `"deny"`) != want.denied || !strings.Contains(got, want.says) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, refusal, ok := strings.Cut(said, "\nconfirm "); !ok || !strings.Contains(refusal, "run checkrein confirm") || strings.Contains(refusal, "or set self_approve") {
		t.Errorf("the refusal does not name what it waits for: %s", refusal)
	}
	if t.Failed() {
		t.Log(said)
	}

	eval := func() string {
		cmd := d.command(filepath.Join(programs, "checkrein"), "eval", "--json")
		cmd.Stdin = strings.NewReader(event("docker volume rm data"))
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if out := eval(); !strings.Contains(out, `"decision":"deny"`) {
		t.Errorf("it counts once the host is gone: %s", out)
	}
	for _, args := range [][]string{{"status"}, {"validate"}, {"hooks", "list"}, {"doctor", "--no-run"}} {
		if _, out := d.run(args...); !strings.Contains(out, "held back") {
			t.Errorf("%v does not say what is held back: %s", args, out)
		}
	}
	if _, out := d.run("audit", "query", "--json"); !strings.Contains(out, `"held":["*.off=true","self_approve=true"]`) {
		t.Errorf("no record says it: %s", out)
	}
	if code, out := d.run("confirm"); code != 4 || !strings.Contains(out, "packs: [] (all packs off)") || !strings.Contains(out, "in your own terminal") {
		t.Errorf("without a terminal: exit %d, %s", code, out)
	}
	s := d.serve()
	if status, said, _ := s.post(selfApprovePath, `{"command":"/bin/true"}`); status != 404 || !strings.Contains(said, "run checkrein confirm") {
		t.Errorf("over HTTP: %d %s", status, said)
	}
	s.interrupt()
	x := startInTerminal(t, d.command(filepath.Join(programs, "checkrein"), "confirm"))
	x.expect("should it take effect")
	x.typeKeys("y\n")
	x.expect("confirmed")
	x.waitForExit()
	if out := eval(); strings.Contains(out, `"decision":"deny"`) {
		t.Errorf("confirmed, and does not count: %s", out)
	}
}

// The agent's last word is no person's: what was put there while the host ran is
// not taken for older by a new host.
func TestNewHostDoesNotConfirmSettings(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\n", "version: 1\n")
	d.write(filepath.Join(d.project, "volume.json"), event("docker volume rm data"))
	file := filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml")
	first := d.asHost("checkrein hook claude <volume.json\nprintf 'version: 1\\npacks: []\\n' >" + file + "\ncheckrein hook claude <volume.json\n")
	second := d.asHost("checkrein hook claude <volume.json\n")
	if strings.Count(first, `"deny"`) != 2 || strings.Count(second, `"deny"`) != 1 {
		t.Errorf("first %s\nsecond %s", first, second)
	}
}

// self_approve opens the approval of declared hooks and nothing else.
func TestSelfApproveAllowsOnlyApproval(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\nself_approve: true\n", guarded)
	d.write(filepath.Join(d.project, "ls.json"), event("ls"))
	said := d.asHost(`checkrein hook claude <ls.json >/dev/null
checkrein hooks approve --all >/dev/null; echo "approve $?"
checkrein hooks off; echo "off $?"
checkrein hooks revoke guard; echo "revoke $?"
checkrein uninstall --all; echo "uninstall $?"
checkrein confirm; echo "confirm $?"
`)
	for _, want := range []string{"approve 0", "off 4", "revoke 4", "uninstall 4", "confirm 4"} {
		if !strings.Contains(said, want+"\n") {
			t.Errorf("want %s in:\n%s", want, said)
		}
	}
	if !strings.Contains(said, "an agent is running this command") || strings.Contains(said, "or set self_approve") {
		t.Errorf("%s", said)
	}
	if _, out := d.run("audit", "query", "--kind", "person", "--json"); !strings.Contains(out, `"act":"hooks approve"`) || !strings.Contains(out, "an agent ran the command, as self_approve allows") {
		t.Errorf("the record does not say who approved:\n%s", out)
	}
}

// A new rule may start in shadow mode while a host runs, because it loosens nothing. A rule that counted
// may not, and shadow report names it.
func TestNewRulesInShadowWhileAHostRuns(t *testing.T) {
	t.Parallel()
	const rule = "    - {name: NAME, if: {command: {prefix: NAME}}, decision: deny, reason: no, MODE}\n"
	old, isNew := strings.ReplaceAll(rule, "NAME", "old"), strings.ReplaceAll(rule, "NAME", "new")
	head := "version: 1\nhooks:\n  pre_tool_use:\n"
	d := newDesk(t, head+strings.Replace(old, "MODE", "mode: enforce", 1), "version: 1\n")
	for _, name := range []string{"old", "new"} {
		d.write(filepath.Join(d.project, name+".json"), event(name))
	}
	d.write(filepath.Join(d.project, "after.yaml"), head+strings.Replace(old+isNew, "MODE", "mode: shadow", 2))
	said := d.asHost(`checkrein hook claude <old.json >first
cat after.yaml >` + filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml") + `
checkrein hook claude <old.json >old
checkrein hook claude <new.json >new
checkrein shadow report
`)
	for name, denied := range map[string]bool{"first": true, "old": true, "new": false} {
		got, err := os.ReadFile(filepath.Join(d.project, name))
		if err != nil || strings.Contains(string(got), `"deny"`) != denied {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for _, want := range []string{"shadow mode for the hook old", "new would have denied 1 time"} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), want) {
			t.Errorf("shadow report lacks %q:\n%s", want, said)
		}
	}
}
