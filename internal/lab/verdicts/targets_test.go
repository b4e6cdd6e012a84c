package verdicts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// TestVerdictsTargets judges commands and calls of tools by what they write, move or replace. In each file
// of testdata/targets a line has "stop" or "pass", a tab, and a command, in which ⏎ stands for a newline.
// In tools.tsv it has a tool and its arguments instead.
func TestVerdictsTargets(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "targets", "*.tsv"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	g := guardtest.New(t)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		guardtest.Each(strings.Split(strings.TrimSpace(string(data)), "\n"), func(_ int, line *string) {
			want, command, ok := strings.Cut(*line, "\t")
			if !ok || want != "stop" && want != "pass" {
				t.Errorf("%s: no row: %s", name, *line)
				return
			}
			command = g.Localize(strings.ReplaceAll(command, "⏎", "\n"))
			decide := func() checkrein.Verdict { return g.Decide("", command) }
			if tool, input, ok := strings.Cut(command, " {"); ok && filepath.Base(name) == "tools.tsv" {
				decide = func() checkrein.Verdict { return g.DecideCall(tool, []byte("{"+input)) }
			}
			if v := decide(); want == "stop" && guardtest.Loses(&v) || want == "pass" && guardtest.Stops(v.Decision) {
				t.Errorf("%s: %s, want %s: %s\n\t%s", filepath.Base(name), v.Decision, want, command, v.Reason)
			}
		})
		for line := range strings.Lines(string(data)) {
			want, _, _ := strings.Cut(line, "\t")
			n[want]++
		}
		t.Logf("%s: %d stopped, %d pass", filepath.Base(name), n["stop"], n["pass"])
	}
}
