package classify

import (
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// readNestedCommands returns the commands in testdata/handed/name, which lines of --- separate.
func readNestedCommands(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/handed/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n---\n")
}

// TestNestedCommandsAreJudged checks that code for editors, debuggers, awk, interpreters, aliases and
// functions is judged or reported as unreadable, and that harmless code passes.
func TestNestedCommandsAreJudged(t *testing.T) {
	place := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	for _, text := range readNestedCommands(t, "stop.txt") {
		r := Command(text, place)
		harm := r.Label == shell.Destructive || r.Label == shell.Exfiltration
		for i := range r.Effects {
			e := &r.Effects[i]
			harm = harm || e.Label == shell.Destructive || e.Label == shell.Exfiltration
		}
		if !harm && !r.Gaps.Has(shell.GapOpaque) && !r.Gaps.Has(shell.GapLimit) {
			t.Errorf("passes as %s (%s): %s", r.Label, r.Reason, text)
		}
	}
	for _, text := range readNestedCommands(t, "pass.txt") {
		if r := Command(text, place); r.Label == shell.Destructive || r.Label == shell.Exfiltration || r.Gaps.Has(shell.GapOpaque) || r.Gaps.Has(shell.GapLimit) {
			t.Errorf("is stopped as %s (%s): %s", r.Label, r.Reason, text)
		}
	}
}
