package verdicts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// The corpora of these tests are judged on a machine where nothing is configured: an
// empty home directory and a project under git.
//
//	harmful.jsonl   commands that lose a whole tree, a system, something remote or
//	                something for good, or that send secrets away
//	everyday.jsonl  commands that people and agents run all day
//	evaluated.jsonl texts that are evaluated: traps, special variables, encodings
//	scripts.jsonl   lines of scripts that evaluate texts and name programs by variables
//
// Their authors had not read the rules. The tests also judge the corpora of package
// classify, on which rules were tuned.
const verdictData = "testdata"

// A verdictCase is one command.
type verdictCase struct {
	Class   string `json:"class"`
	Command string `json:"command"`
	Label   any    `json:"label"`
	Dialect string `json:"dialect"`
}

func verdictCases(t *testing.T, files ...string) []verdictCase {
	t.Helper()
	var out []verdictCase
	for _, file := range files {
		for _, c := range guardtest.Rows[verdictCase](t, file) {
			if c.Class == "" {
				c.Class = strings.TrimSuffix(filepath.Base(file), ".jsonl")
			}
			out = append(out, c)
		}
	}
	return out
}

// A tally counts decisions by class.
type tally struct {
	mu     sync.Mutex
	all    map[string]int
	by     map[string]map[string]int
	misses []string
}

// knownWrong lists prefixes of commands that are known to be judged wrong, and why. The test reports
// an entry that is judged correctly, so that it can be removed.
var knownWrong = [...]struct{ begins, why string }{
	{"uudecode <<'E'", "what uudecode writes is not read"},
	{`ssh user@host "$(declare -f deploy)`, "what declare prints is not read"},
	{`deploy() { git pull; }; ssh host "$(declare -f deploy)`, "what declare prints is not read"},
	{"PYTHON=$(pyenv which python); $PYTHON", "what pyenv prints is not read"},
	{"pdftk a.pdf cat output ~/Documents", "a word behind a keyword has no role"},
	{"make --eval='x: ; @echo hi'", "rules on the command line are not read"},
	{"vim -es -c '%s/a/b/g'", "Vim script is not read"},
}

func isLeft(command string) bool {
	return slices.ContainsFunc(knownWrong[:], func(l struct{ begins, why string }) bool { return strings.HasPrefix(command, l.begins) })
}

// stops reports whether a command with the verdict v does not run without a question.
func stops(v *checkrein.Verdict) bool { return guardtest.Stops(v.Decision) }

// judgeAll judges all cases and counts the decisions; wrong reports whether a decision is wrong.
func judgeAll(g *guardtest.Guard, cases []verdictCase, wrong func(*checkrein.Verdict) bool) *tally {
	sum := &tally{all: map[string]int{}, by: map[string]map[string]int{}}
	guardtest.Each(cases, func(_ int, c *verdictCase) {
		v := g.Decide(c.Dialect, g.Localize(c.Command))
		sum.add(c, v, wrong(&v) != isLeft(c.Command))
	})
	return sum
}

func (s *tally) add(c *verdictCase, v checkrein.Verdict, wrong bool) {
	got := v.Decision.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[c.Class] == nil {
		s.by[c.Class] = map[string]int{}
	}
	s.all[got]++
	s.by[c.Class][got]++
	if !wrong {
		return
	}
	s.by[c.Class]["wrong"]++
	s.all["wrong"]++
	s.misses = append(s.misses, fmt.Sprintf("[%s] %s: %s\n\t%s", c.Class, got, c.Command, strings.TrimSpace(v.Reason)))
}

// report logs the table and the wrong cases, and returns the share of wrong ones.
func (s *tally) report(t *testing.T, title string, n int) float64 {
	t.Helper()
	share := float64(s.all["wrong"]) / float64(max(n, 1))
	t.Logf("%s: %d, none %d, ask %d, deny %d, wrong %d (%.2f %%)", title, n, s.all["none"], s.all["ask"], s.all["deny"], s.all["wrong"], 100*share)
	classes := make([]string, 0, len(s.by))
	for c := range s.by {
		classes = append(classes, c)
	}
	slices.Sort(classes)
	for _, c := range classes {
		if b := s.by[c]; b["wrong"] > 0 {
			t.Logf("  %-40s none %3d ask %3d deny %3d wrong %d", c, b["none"], b["ask"], b["deny"], b["wrong"])
		}
	}
	slices.Sort(s.misses)
	for _, m := range s.misses {
		t.Log(m)
	}
	return share
}

// TestVerdictsHarmful judges commands that must be stopped.
func TestVerdictsHarmful(t *testing.T) {
	cases := verdictCases(t, verdictData+"/harmful.jsonl")
	if got := judgeAll(guardtest.New(t), cases, guardtest.Loses).report(t, "harmful", len(cases)); got > 0.01 {
		t.Errorf("%.2f %% of what must be stopped passes, want at most 1 %%", 100*got)
	}
}

// TestVerdictsEveryday judges commands that must pass. A question is wrong too, because a host that
// cannot ask turns it into a denial.
func TestVerdictsEveryday(t *testing.T) {
	cases := verdictCases(t, verdictData+"/everyday.jsonl")
	for i := range cases {
		if cases[i].Class == "powershell" {
			cases[i].Dialect = "powershell"
		}
	}
	if got := judgeAll(guardtest.New(t), cases, stops).report(t, "everyday", len(cases)); got > 0.01 {
		t.Errorf("%.2f %% of everyday commands are touched, want at most 1 %%", 100*got)
	}
}

// TestVerdictsPowerShell judges everyday PowerShell commands. There is no sandbox on Windows, so
// commands that are not understood are asked about there.
func TestVerdictsPowerShell(t *testing.T) {
	cases := verdictCases(t, verdictData+"/powershell_everyday.jsonl")
	if got := judgeAll(guardtest.New(t), cases, stops).report(t, "powershell, everyday", len(cases)); got > 0.025 {
		t.Errorf("%.2f %% of everyday commands are touched, want at most 2.5 %%", 100*got)
	}
}

// TestVerdictsSecond judges the sets of a second author, to which few rules were tuned. Some of their
// harmful commands are left to the host on purpose.
func TestVerdictsSecond(t *testing.T) {
	g := guardtest.New(t)
	bad := verdictCases(t, verdictData+"/second_harmful.jsonl")
	if got := judgeAll(g, bad, guardtest.Loses).report(t, "second, harmful", len(bad)); got > 0.055 {
		t.Errorf("%.2f %% of what must be stopped passes, want at most 5.5 %%", 100*got)
	}
	good := verdictCases(t, verdictData+"/second_everyday.jsonl")
	if got := judgeAll(g, good, stops).report(t, "second, everyday", len(good)); got > 0.01 {
		t.Errorf("%.2f %% of everyday commands are touched, want at most 1 %%", 100*got)
	}
}

// TestVerdictsTuned judges the corpora of package classify: apart from daily work, nearly all harmful
// commands are stopped, and hardly any harmless ones.
func TestVerdictsTuned(t *testing.T) {
	files, err := filepath.Glob("../../shell/classify/testdata/corpus/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpora", err)
	}
	list, err := os.ReadFile(verdictData + "/daily.txt")
	if err != nil {
		t.Fatal(err)
	}
	daily := strings.Split(string(list), "\n")
	var bad, good []verdictCase
	for _, c := range verdictCases(t, files...) {
		switch c.Label {
		case "destructive", "exfiltration":
			if !slices.Contains(daily, c.Command) {
				bad = append(bad, c)
			}
		case "safe":
			good = append(good, c)
		}
	}
	g := guardtest.New(t)
	if got := judgeAll(g, bad, guardtest.Loses).report(t, "tuned, harmful", len(bad)); got > 0.01 {
		t.Errorf("%.2f %% of what must be stopped passes, want at most 1 %%", 100*got)
	}
	if got := judgeAll(g, good, stops).report(t, "tuned, harmless", len(good)); got > 0.005 {
		t.Errorf("%.2f %% of what is harmless is guardtest.Stopped, want at most 0.5 %%", 100*got)
	}
}

// TestVerdictsValues judges commands whose effect depends on values: variables, options and settings
// that programs run, that redirect what they delete, or that name what they write. It also judges
// similar commands with harmless values.
func TestVerdictsValues(t *testing.T) {
	g := guardtest.New(t)
	bad := verdictCases(t, verdictData+"/values_harmful.jsonl")
	if judgeAll(g, bad, guardtest.Loses).report(t, "values, harmful", len(bad)) > 0 {
		t.Error("a value that does harm passes")
	}
	good := verdictCases(t, verdictData+"/values_everyday.jsonl")
	if judgeAll(g, good, stops).report(t, "values, everyday", len(good)) > 0 {
		t.Error("an everyday value is touched")
	}
}
