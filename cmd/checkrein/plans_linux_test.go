package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A planPlace is a home whose own hook runs a script, in a repository.
func newPlanPlace(t *testing.T, command string) *derivedPlace {
	t.Helper()
	p := newDerivedPlace(t)
	p.script("own.sh", "exit 0\n")
	p.write(ownFile, "version: 1\nself_approve: true\nhooks:\n  pre_tool_use: {name: own, type: command, command: "+strings.ReplaceAll(command, "DIR", p.dir)+"}\n")
	if out, err := exec.Command("git", "init", "-q", filepath.Join(p.dir, "work")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return p
}

func (p *derivedPlace) script(name, text string) {
	p.Helper()
	p.write(name, "#!/bin/sh\n"+text)
	if err := os.Chmod(filepath.Join(p.dir, name), 0o700); err != nil {
		p.Fatal(err)
	}
}

// A stepRecord is what a record says of a hook that was asked.
type stepRecord struct{ Hook, Digest, Approval, Runs, Outcome string }

// last returns what the newest record says of its first hook of a name.
func (p *derivedPlace) last(name string) (policy string, step stepRecord) {
	p.Helper()
	data, err := os.ReadFile(filepath.Join(p.state, "ledger", "current.jsonl"))
	if err != nil {
		p.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	var rec struct {
		Policy string
		Plan   []stepRecord
	}
	if err := json.Unmarshal(lines[len(lines)-1], &rec); err != nil {
		p.Fatal(err)
	}
	for _, s := range rec.Plan {
		if s.Hook == name {
			return rec.Policy, s
		}
	}
	p.Fatalf("no hook %q in %s", name, lines[len(lines)-1])
	return "", stepRecord{}
}

// A record tells which bytes a hook ran, also where nobody had to approve them.
func TestRecordsListFilesThatHooksRan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, command string
		script        string // whose bytes change
		approve       bool
	}{
		{"a person's own", "DIR/own.sh", "own.sh", false},
		{"what that runs", "DIR/own.sh", "deep.sh", false},
		{"a project's, approved", "sh gate.sh", "work/gate.sh", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlanPlace(t, tt.command)
			p.script("own.sh", p.dir+"/deep.sh\n")
			p.script("deep.sh", "exit 0\n")
			p.script("work/gate.sh", "exit 0\n")
			approve := func() {
				if !tt.approve {
					return
				}
				if code, out := p.run("", "hooks", "approve", "--all", "--yes"); code != 0 {
					t.Fatalf("approve: %d, %s", code, out)
				}
			}
			approve()
			startAgent(t, filepath.Join(p.dir, "work"), p.env())
			for range 2 {
				p.run(forbidden, "hook", "claude")
			}
			policy, first := p.last("own")
			if first.Runs == "" || first.Outcome == "fault" || (first.Approval != "") != tt.approve {
				t.Fatalf("the record says %+v", first)
			}
			if _, same := p.last("own"); same.Runs != first.Runs {
				t.Errorf("unchanged, and the record says %+v", same)
			}
			if _, out := p.run("", "explain", "--last", "-v"); !strings.Contains(out, "runs: "+first.Runs) {
				t.Errorf("explain says %s", out)
			}
			p.script(tt.script, "exit 0 # other bytes\n")
			approve()
			p.run(forbidden, "hook", "claude")
			after, then := p.last("own")
			if then.Runs == "" || then.Runs == first.Runs || then.Digest != first.Digest {
				t.Errorf("the record says %+v, before %+v", then, first)
			}
			if !tt.approve && after != policy {
				t.Errorf("the policy is another: %s, %s", policy, after)
			}
		})
	}
}
