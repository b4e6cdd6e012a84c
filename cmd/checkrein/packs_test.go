package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// A listedPack is what the tests read of checkrein packs --json.
type listedPack struct {
	Name  string
	On    bool
	Rules []struct {
		ID, Decision string
		Match        []struct{ Command, Decision, By string }
		Change       []struct{ Line, In string }
	}
}

// listPacks runs checkrein packs.
func (p verdictPlace) listPacks(t *testing.T, args ...string) []listedPack {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "checkrein"), append([]string{"packs", "--json"}, args...)...)
	cmd.Dir, cmd.Env = p.project, p.env()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("packs %v: %v", args, err)
	}
	var r struct{ Packs []listedPack }
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	return r.Packs
}

// TestPacksListedAsDecided goes through the samples of every rule: what the list
// says of a command is what is decided about it.
func TestPacksListedAsDecided(t *testing.T) {
	p := newVerdictPlace(t)
	type sample struct{ rule, command, listed string }
	var samples []sample
	for _, pack := range p.listPacks(t) {
		for _, r := range p.listPacks(t, pack.Name)[0].Rules {
			fits := len(r.Match) == 0
			for _, m := range r.Match {
				samples = append(samples, sample{r.ID, m.Command, m.Decision})
				fits = fits || m.Decision == r.Decision
			}
			if !fits {
				t.Errorf("%s is listed as %s, and none of its samples is", r.ID, r.Decision)
			}
		}
	}
	if len(samples) < 3000 {
		t.Fatalf("%d samples", len(samples))
	}
	g := guardtest.New(t)
	guardtest.Each(samples, func(_ int, s *sample) {
		v := g.Decide("", s.command)
		if got := decisionOf(v); got != s.listed && !guardsItself(got, v.Reason) {
			t.Errorf("%s: %q is listed as %s, and is %s\n\t%s", s.rule, s.command, s.listed, got, v.Reason)
		}
	})
}

// decisionOf returns a verdict's decision as lists write it.
func decisionOf(v checkrein.Verdict) string {
	if guardtest.Stops(v.Decision) {
		return v.Decision.String()
	}
	return "none"
}

// guardsItself tells self-protection from packs: it is stricter whatever they say.
func guardsItself(heard, reply string) bool {
	return heard != "none" && (strings.Contains(reply, "protected") || strings.Contains(reply, "[self/"))
}

// TestPacksChange applies each line that the list gives for a rule: the decision
// about the rule's sample is one step milder then, and no other pack's changes.
func TestPacksChange(t *testing.T) {
	p := newVerdictPlace(t)
	file := filepath.Join(p.home, ".config", "checkrein", "checkrein.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	milder := map[string]string{"deny": "ask", "ask": "none"}
	tried := map[string]bool{}
	for _, pack := range p.listPacks(t) {
		for _, r := range p.listPacks(t, pack.Name)[0].Rules {
			for _, m := range r.Match {
				for _, c := range r.Change {
					if m.Decision != r.Decision || m.By != r.ID || !strings.HasPrefix(c.Line, "packs:") || tried[c.Line] || milder[r.Decision] == "" {
						continue
					}
					if p.evalDecision(t, m.Command) != m.Decision {
						t.Errorf("%s: %q is %s and not %s", r.ID, m.Command, p.evalDecision(t, m.Command), m.Decision)
					}
					tried[c.Line] = true
					if c.In != file {
						t.Errorf("%s: %s is to go into %s, want %s", r.ID, c.Line, c.In, file)
					}
					if err := os.WriteFile(file, []byte("version: 1\n"+c.Line+"\n"), 0o600); err != nil {
						t.Fatal(err)
					}
					if got := p.evalDecision(t, m.Command); got != milder[r.Decision] {
						t.Errorf("%s with %s: %q is %s, want %s", r.ID, c.Line, m.Command, got, milder[r.Decision])
					}
					if got := p.evalDecision(t, commandOfOtherPack(pack.Name)); got != "deny" {
						t.Errorf("%s: another pack's decision is %s", c.Line, got)
					}
					if err := os.Remove(file); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if len(tried) < 20 {
		t.Errorf("%d lines", len(tried))
	}
}

// commandOfOtherPack returns a command that a pack other than pack denies.
func commandOfOtherPack(pack string) string {
	if pack == "git" {
		return "docker volume rm data"
	}
	return "git push --force origin main"
}

// evalDecision returns the decision of the packs in checkrein eval, without self-protection, which no
// pack can loosen.
func (p verdictPlace) evalDecision(t *testing.T, command string) string {
	t.Helper()
	said := p.program(p.shellCall("claude", "", command), "eval", "--json")
	var r struct {
		Steps []struct{ Hook, Decision string }
	}
	if err := json.Unmarshal(said.Stdout, &r); err != nil || said.Exit != 0 {
		t.Fatalf("%v: %s%s", err, said.Stdout, said.Stderr)
	}
	for _, s := range r.Steps {
		if s.Hook == "packs" && s.Decision != "" {
			return s.Decision
		}
	}
	return "none"
}
