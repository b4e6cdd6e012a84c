package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/corpora"
	"github.com/checkrein/checkrein/internal/lab/full"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
	sh "github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// A classified command is what the test reads of checkrein classify --jsonl.
type classified struct {
	Command, Label, Decision, Answer, By string
	Effects                              []struct {
		Label, Category, Pack, Rule string
		Radius                      string `json:"blast_radius"`
	}
}

// An effectCell is a kind of effect as it may come: the row, what it comes to and how
// far it reaches.
type effectCell struct{ pack, category, label, radius string }

// effectConfigs are files of a person and of a project, with what is decided under them
// about terraform apply, and about docker volume rm data.
// saves: they leave some levels at which losses that would be asked about are saved instead.
var effectConfigs = []struct {
	name, apply, remove, user, project string
	saves                              bool
}{
	{name: "defaults", apply: "none", remove: "deny", saves: true},
	{name: "turned around", apply: "ask", remove: "none", user: everyPack("low: deny, medium: ask, high: none, unknown: ask, exfiltration: ask")},
	{name: "one level", apply: "deny", remove: "deny", user: everyPack("medium: deny"), saves: true},
	{name: "off", apply: "none", remove: "none", user: "version: 1\npacks: []\n"},
	{name: "project", apply: "ask", remove: "deny", user: everyPack("medium: none"), project: everyPack("medium: ask, unknown: deny, low: ask, high: none")},
}

func everyPack(levels string) string {
	out := "version: 1\npacks:\n"
	for _, name := range strings.Fields("filesystem permissions disk git containers kubernetes cloud infrastructure databases packages services messaging backup ci secrets privilege exfiltration code") {
		out += "  - {name: " + name + ", " + levels + "}\n"
	}
	return out
}

// TestDecisionsAgree asks every door about commands of all kinds of effects and impacts,
// under several configurations: packs, classify, eval, match, explain and hook give one
// answer.
func TestDecisionsAgree(t *testing.T) {
	full.Skip(t)
	cells := newVerdictPlace(t).effectCells(t)
	asked := map[string]bool{}
	for _, config := range effectConfigs {
		t.Run(strings.ReplaceAll(config.name, " ", "-"), func(t *testing.T) {
			p := newVerdictPlace(t)
			p.configure(t, config.user, config.project)
			startAgent(t, p.project, p.env())
			for command, want := range map[string]string{"terraform apply": config.apply, "docker volume rm data": config.remove} {
				if got := p.evalDecision(t, command); got != want {
					t.Errorf("%s: %s, want %s", command, got, want)
				}
			}
			g, err := guardtest.Open(corpora.Place{Home: p.home, Project: p.project})
			if err != nil {
				t.Fatal(err)
			}
			a := agreement{verdictPlace: p, guard: g, rows: p.rowDecisions(t), asked: asked, saves: config.saves}
			var commands []string
			for _, c := range cells {
				commands = append(commands, c.command)
			}
			for i, got := range p.classify(t, commands) {
				a.checkList(t, cells[i].cell, &got)
				a.checkEverywhere(t, cells[i].cell, &got)
			}
		})
	}
	if len(asked) < 36 {
		t.Errorf("match and explain were asked about %d decisions of packs", len(asked))
	}
}

// configure writes the files of a person and of the project; "" = there is none.
func (p verdictPlace) configure(t *testing.T, user, project string) {
	t.Helper()
	for file, text := range map[string]string{filepath.Join(p.home, ".config", "checkrein", "checkrein.yaml"): user, filepath.Join(p.project, "checkrein.yaml"): project} {
		if text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// desk runs a command and returns what it printed.
func (p verdictPlace) desk(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "checkrein"), args...)
	cmd.Dir, cmd.Env = p.project, p.env()
	out, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}

// classify runs checkrein classify --jsonl.
func (p verdictPlace) classify(t *testing.T, commands []string) []classified {
	t.Helper()
	var in bytes.Buffer
	for _, c := range commands {
		if err := json.NewEncoder(&in).Encode(map[string]string{"command": c}); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(programs, "checkrein"), "classify", "--jsonl")
	cmd.Dir, cmd.Env, cmd.Stdin = p.project, p.env(), &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	list := make([]classified, len(commands))
	lines := json.NewDecoder(bytes.NewReader(out))
	for i := range list {
		if err := lines.Decode(&list[i]); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// A cellSample is a command with one effect that is not safe.
type cellSample struct {
	cell    effectCell
	command string
}

// effectCells finds a command for every kind of effect and impact that the samples of
// the rules come to.
func (p verdictPlace) effectCells(t *testing.T) []cellSample {
	t.Helper()
	var commands []string
	for _, pack := range p.listPacks(t) {
		for _, r := range p.listPacks(t, pack.Name)[0].Rules {
			for _, m := range r.Match {
				commands = append(commands, m.Command)
			}
		}
	}
	var out []cellSample
	seen, rows := map[effectCell]bool{}, map[string]bool{}
	for _, c := range p.classify(t, commands) {
		var at []effectCell
		for _, e := range c.Effects {
			if e.Label != "safe" {
				at = append(at, effectCell{e.Pack, e.Category, e.Label, e.Radius})
			}
		}
		if len(at) == 1 && !seen[at[0]] {
			seen[at[0]], rows[at[0].category] = true, true
			out = append(out, cellSample{at[0], c.Command})
		}
	}
	if len(out) < 150 || len(rows) < 80 {
		t.Errorf("%d cells of %d rows", len(out), len(rows))
	}
	return out
}

// rowDecisions is what checkrein packs lists about each row, by impact.
func (p verdictPlace) rowDecisions(t *testing.T) map[effectCell]string {
	t.Helper()
	out := map[effectCell]string{}
	for _, pack := range p.listPacks(t) {
		var r struct {
			Packs []struct {
				Categories []struct {
					Name, Label string
					Decides     map[string]string
				}
			}
		}
		if err := json.Unmarshal([]byte(p.desk(t, "packs", "--json", pack.Name)), &r); err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Packs[0].Categories {
			for radius, d := range c.Decides {
				out[effectCell{pack.Name, c.Name, c.Label, radius}] = d
			}
		}
	}
	return out
}

// An agreement compares the answers about commands under one configuration.
type agreement struct {
	verdictPlace
	guard *guardtest.Guard
	rows  map[effectCell]string
	saves bool
	asked map[string]bool // decisions of packs about which the slower commands were asked
}

// canSave reports whether the effect of command that is in cell can be saved first.
func (a *agreement) canSave(cell effectCell, command string) bool {
	r := classify.Command(command, sh.Place{Dir: a.project, Root: a.project, Home: a.home})
	return slices.ContainsFunc(r.Effects, func(e sh.Effect) bool {
		return e.Row().Name == cell.category && e.ToSave() != sh.SaveNothing
	})
}

// checkList compares packs with classify.
func (a *agreement) checkList(t *testing.T, cell effectCell, got *classified) {
	t.Helper()
	want, listed := a.rows[cell]
	if want == "ask" && a.saves && a.canSave(cell, got.Command) {
		want = "none" // the list has what is decided about losses that cannot be saved
	}
	if listed && want != got.Decision {
		t.Errorf("%+v: packs lists %s, and classify says %s by %q about %q", cell, want, got.Decision, got.By, got.Command)
	}
}

// checkEverywhere compares eval and the guard with classify; match and explain too, once for
// each decision of a pack.
func (a *agreement) checkEverywhere(t *testing.T, cell effectCell, got *classified) {
	t.Helper()
	if d := a.evalDecision(t, got.Command); d != got.Decision {
		t.Errorf("%q: eval says %s, and classify %s", got.Command, d, got.Decision)
	}
	v := a.guard.Decide("", got.Command)
	itself := guardsItself(decisionOf(v), v.Reason)
	if decisionOf(v) != got.Decision && !itself {
		t.Errorf("%q: the guard says %s, and classify %s\n\t%s", got.Command, v.Decision, got.Decision, v.Reason)
	}
	if word := map[string]string{"ask": "asked", "deny": "denied"}[got.Decision]; word != "" && got.Answer != word || got.Decision == "none" && got.Answer != "pass" && got.Answer != "saved" {
		t.Errorf("%q: the decision is %s, and the answer %s", got.Command, got.Decision, got.Answer)
	}
	key := cell.pack + " " + got.Decision
	if a.asked[key] || itself {
		return
	}
	a.asked[key] = true
	words := map[string]string{"none": "let it pass", "ask": "ask about it", "deny": "deny it"}
	if out := a.desk(t, "match", cell.pack, "--command", got.Command); !strings.Contains(out, "the packs "+words[got.Decision]) {
		t.Errorf("%q: classify says %s, and match\n%s", got.Command, got.Decision, out)
	}
	a.checkExplain(t, got)
}

// checkExplain compares explain of a recorded call with classify.
func (a *agreement) checkExplain(t *testing.T, got *classified) {
	t.Helper()
	a.callHook("claude", a.shellCall("claude", "", got.Command)) // the newest record
	var r struct {
		Answer string
		Record struct {
			Plan []struct{ Hook, Decision string }
		}
	}
	if err := json.Unmarshal([]byte(a.desk(t, "explain", "--last", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	packs := "none"
	for _, s := range r.Record.Plan {
		if s.Hook == "packs" && s.Decision != "" {
			packs = s.Decision
		}
	}
	words := map[string]string{"none": "NOT DECIDED", "ask": "ASKED", "deny": "DENIED"}
	if packs != got.Decision || !strings.HasPrefix(r.Answer, words[got.Decision]) && got.Decision != "ask" {
		t.Errorf("%q: classify says %s, and explain %+v", got.Command, got.Decision, r)
	}
}
