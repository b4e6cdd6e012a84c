package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Nothing that a person switches off, pauses or only records reaches self-protection:
// checkrein's own files and its lines in the files of hosts.
func TestSelfProtectionStays(t *testing.T) {
	t.Parallel()
	shadow := "shadow: " + time.Now().Add(time.Hour).UTC().Format(time.RFC3339) + "\n"
	for name, tt := range map[string]struct {
		user string          // the person's file
		do   func(d *desk)   // what the person does
		open map[string]bool // events that pass then
	}{
		"as it comes":  {},
		"off":          {do: func(d *desk) { d.person("hooks", "off") }, open: map[string]bool{"volume": true}},
		"paused":       {do: (*desk).pause, open: map[string]bool{"volume": true}},
		"shadow":       {user: shadow, open: map[string]bool{"volume": true}},
		"no packs":     {user: "packs: []\n", open: map[string]bool{"volume": true}},
		"one pack off": {user: "packs: [{name: containers, off: true}, {name: filesystem, off: true}]\n", open: map[string]bool{"volume": true}},
		"packs weak":   {user: "packs: [{name: containers, high: none, medium: none, low: none, unknown: none}]\n", open: map[string]bool{"volume": true}},
		"disabled":     {do: func(d *desk) { d.person("hooks", "disable", "packs") }, open: map[string]bool{"volume": true}},
		"not disabled": {do: func(d *desk) { d.person("hooks", "disable", "protect_paths") }},
		"all of it":    {user: shadow + "packs: []\n", do: func(d *desk) { d.pause(); d.person("hooks", "off") }, open: map[string]bool{"volume": true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "version: 1\n"+tt.user, "version: 1\n")
			if tt.do != nil {
				tt.do(d)
			}
			config := filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml")
			state := filepath.Join(d.home, ".local", "state", "checkrein")
			for event, payload := range map[string]string{
				"volume":   d.call("Bash", "command", overwrite),
				"config":   d.call("Write", "file_path", config),
				"config 2": d.call("Bash", "command", "echo x >"+config),
				"trust":    d.call("Bash", "command", "rm "+state+"/trust.json"),
				"ledger":   d.call("Bash", "command", "rm -rf "+state+"/ledger"),
				"key":      d.call("Bash", "command", "cp /dev/null "+state+"/ledger/key"),
				"switch":   d.call("Bash", "command", "checkrein hooks off"),
			} {
				file := filepath.Join(d.project, strings.ReplaceAll(event, " ", "")+".json")
				d.write(file, payload)
				out := d.asHost("checkrein hook claude <" + file + "\n")
				if denied := strings.Contains(out, `"permissionDecision":"deny"`); denied == tt.open[event] {
					t.Errorf("%s: %s", event, out)
				}
			}
		})
	}
}

// person runs checkrein at a person's own terminal, where the person agrees to every
// question.
func (d *desk) person(args ...string) (int, string) {
	d.t.Helper()
	return startInTerminal(d.t, d.command(filepath.Join(programs, "checkrein"), args...)).approveAll()
}

// A person seals the approvals again after the key was lost or the file was changed; what
// the file switched off stays on.
func TestReseal(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]string{
		"key removed":  "rm $STATE/ledger/key",
		"key replaced": "printf %032d 7 >$STATE/ledger/key",
		"file changed": `sed -i 's/"off":false/"off":true/' $STATE/trust.json`,
		"seal removed": `sed -i '1s/^.*"body"://; $s/}$//' $STATE/trust.json`,
		"old copy":     "cp $OLD/off/trust.json $STATE/trust.json",
		"head removed": "rm $STATE/ledger/head",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChainSeat(t)
			decides := func(event string) string {
				return s.asHost("checkrein hook claude <" + event + ".json\n")
			}
			s.runAsPerson(harm)
			if out := decides("ls"); !strings.Contains(out, "not as checkrein left it") {
				t.Errorf("the verdict has no notice: %s", out)
			}
			if code, out := s.run("status"); code != 1 || !strings.Contains(out, "doctor --reseal") {
				t.Errorf("status: exit code %d\n%s", code, out)
			}
			if code, out := s.person("doctor", "--reseal"); code != 0 || !strings.Contains(out, "house") || strings.Contains(out, "planted") && name != "old copy" {
				t.Fatalf("exit code %d\n%s", code, out)
			}
			if out := decides("ls"); strings.Contains(out, `"deny"`) || strings.Contains(out, "not as checkrein left it") {
				t.Errorf("sealed again, ls: %s", out)
			}
			for _, event := range []string{"rm", "volume", "config", "deploy"} {
				if out := decides(event); !strings.Contains(out, `"permissionDecision":"deny"`) {
					t.Errorf("sealed again, %s: %s", event, out)
				}
			}
			if code, out := s.person("doctor", "--reseal"); code != 0 || !strings.Contains(out, "nothing was changed") {
				t.Errorf("once more: exit code %d\n%s", code, out)
			}
		})
	}
}

// An agent that removes the notes of agents and the ledger with their records is known by
// its name.
func TestNotesAndLedgerRemoved(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "awk")
	s := newChainSeat(t)
	s.write(filepath.Join(s.project, "x.sh"), `sleep 0.1
for e in ls ls; do checkrein hook claude <$e.json >/dev/null; done
rm -rf $STATE/hosts $STATE/ledger $STATE/trust.json
for c in "hooks off" "hooks disable packs" "hooks approve planted"; do checkrein $c >/dev/null; echo $c: $?; done
checkrein hook claude <volume.json
`)
	out, _ := s.command("bash", "-c", `exec -a claude awk 'BEGIN { system("sh x.sh 2>&1") }'`).CombinedOutput()
	for _, want := range []string{"hooks off: 4", "hooks disable packs: 4", "hooks approve planted: 4", `"permissionDecision":"deny"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q:\n%s", want, out)
		}
	}
}
