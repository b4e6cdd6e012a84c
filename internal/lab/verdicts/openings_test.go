package verdicts

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/guardtest"
	sh "github.com/checkrein/checkrein/internal/shell"
)

// openingsData is a directory with commands of ordinary programs that can run, write, send or read
// something because of an option, a setting, an input line or a file. See its README.
const openingsData = "../../shell/classify/testdata/openings"

// An openingCase is one command in openingsData.
type openingCase struct {
	Program  string `json:"program"`
	Function string `json:"function"`
	Command  string `json:"command"`
	Want     string `json:"want"` // stop, open or pass
	Left     string `json:"left"` // why it is not what it should be
}

// TestVerdictsOpenings judges the public list of such programs: a command, file or secret in their
// arguments is stopped as it would be on its own.
func TestVerdictsOpenings(t *testing.T) {
	cases := guardtest.Rows[openingCase](t, openingsData+"/rows.jsonl")
	g := guardtest.New(t)
	type count struct{ all, right, open int }
	var mu sync.Mutex
	by := map[string]*count{}
	guardtest.Each(cases, func(_ int, c *openingCase) {
		v, label := g.Decide("", g.Localize(c.Command)), g.Label(g.Localize(c.Command))
		right := map[string]bool{"stop": guardtest.Stops(v.Decision), "open": label != sh.Safe, "pass": guardtest.Passes(v.Decision)}[c.Want]
		switch {
		case !right && c.Left == "":
			t.Errorf("[%s] %s and %s, want %s: %s\n\t%s", c.Function, v.Decision, label, c.Want, c.Command, v.Reason)
		case right && c.Left != "":
			t.Errorf("[%s] is what it should be, so it is not left any more: %s", c.Function, c.Command)
		case label == sh.Safe && c.Left == "" && c.Want != "pass":
			t.Errorf("[%s] is called safe: %s", c.Function, c.Command)
		}
		mu.Lock()
		defer mu.Unlock()
		n := by[c.Function]
		if n == nil {
			n = &count{}
			by[c.Function] = n
		}
		n.all++
		if right {
			n.right++
		}
		if label != sh.Safe {
			n.open++
		}
	})
	for f, n := range by {
		t.Logf("%-20s %4d, right %4d (%.1f %%), not safe %4d", f, n.all, n.right, 100*float64(n.right)/float64(n.all), n.open)
	}
}

// TestVerdictsOpeningsUnused judges ordinary uses of the same programs, which must pass.
func TestVerdictsOpeningsUnused(t *testing.T) {
	data, err := os.ReadFile(openingsData + "/unused.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cases []verdictCase
	for line := range strings.Lines(string(data)) {
		cases = append(cases, verdictCase{Class: "unused", Command: strings.TrimSpace(line)})
	}
	if judgeAll(guardtest.New(t), cases, stops).report(t, "unused", len(cases)) > 0 {
		t.Error("harmless calls are touched")
	}
}
