package verdicts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
	label "github.com/checkrein/checkrein/internal/shell"
)

// generatedData is the directory of the cores, one command per line: destructive and exfiltrating
// commands, which are denied or asked about as they are, and everyday commands, which pass. The files
// of disguises contain the same commands in other forms.
const generatedData = "testdata/generated"

func readCores(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(generatedData, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// TestGeneratedBare checks that the undisguised harmful cores are stopped and the everyday ones pass.
func TestGeneratedBare(t *testing.T) {
	t.Parallel()
	g := guardtest.New(t)
	for _, c := range readCores(t, "destructive.txt") {
		if v, is := g.Decide("", g.Localize(c)), g.Label(g.Localize(c)); guardtest.Loses(&v) || is == label.Safe {
			t.Errorf("%v, %v: %s", v.Decision, is, c)
		}
	}
	for _, c := range readCores(t, "harmless.txt") {
		if v, is := g.Decide("", g.Localize(c)), g.Label(g.Localize(c)); guardtest.Stops(v.Decision) || is >= label.Destructive {
			t.Errorf("%v, %v: %s: %s", v.Decision, is, c, v.Reason)
		}
	}
}

// A generatedCase is one disguise of a core, and the decision about it.
type generatedCase struct {
	text    string
	verdict checkrein.Verdict
	label   label.Label
}

// judgeGenerated judges every disguise in a file.
func judgeGenerated(t *testing.T, name string) []generatedCase {
	t.Helper()
	g := guardtest.New(t)
	var cases []generatedCase
	for _, text := range guardtest.Rows[string](t, filepath.Join(generatedData, name)) {
		cases = append(cases, generatedCase{text: g.Localize(text)})
	}
	guardtest.Each(cases, func(_ int, c *generatedCase) {
		c.verdict, c.label = g.Decide("", c.text), g.Label(c.text)
	})
	return cases
}

// countGenerated returns the number of wrong cases and logs some of them.
func countGenerated(t *testing.T, title string, cases []generatedCase, wrong func(*generatedCase) bool) int {
	t.Helper()
	bad := 0
	for i := range cases {
		c := &cases[i]
		if !wrong(c) {
			continue
		}
		if bad++; bad <= 60 {
			t.Logf("%s: %v, %v, %s\n\t%s", title, c.verdict.Decision, c.label, c.verdict.Reason, strings.ReplaceAll(c.text, "\n", "\n\t"))
		}
	}
	t.Logf("%s: %d of %d", title, bad, len(cases))
	return bad
}

// TestGeneratedDestructive checks the disguises of destructive commands: none is labelled safe, and
// few pass.
func TestGeneratedDestructive(t *testing.T) {
	t.Parallel()
	cases := judgeGenerated(t, "destructive.jsonl")
	if n := countGenerated(t, "called safe", cases, func(c *generatedCase) bool { return c.label == label.Safe }); n > 0 {
		t.Errorf("%d commands that destroy are called safe", n)
	}
	passed := countGenerated(t, "passed", cases, func(c *generatedCase) bool { return guardtest.Loses(&c.verdict) })
	if 100*passed > 2*len(cases) {
		t.Errorf("%d of %d commands that destroy pass, want at most 2 %%", passed, len(cases))
	}
}

// TestGeneratedHarmless checks the disguises of everyday commands: hardly any is labelled destructive
// or stopped.
func TestGeneratedHarmless(t *testing.T) {
	t.Parallel()
	cases := judgeGenerated(t, "harmless.jsonl")
	destructive := func(c *generatedCase) bool { return c.label >= label.Destructive }
	if n := countGenerated(t, "called destructive", cases, destructive); 1000*n > len(cases) {
		t.Errorf("%d of %d everyday commands are called destructive, want at most 0.1 %%", n, len(cases))
	}
	stopped := countGenerated(t, "stopped", cases, func(c *generatedCase) bool { return guardtest.Stops(c.verdict.Decision) })
	if 100*stopped > len(cases) {
		t.Errorf("%d of %d everyday commands are stopped, want at most 1 %%", stopped, len(cases))
	}
}
