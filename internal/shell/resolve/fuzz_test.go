package resolve

import (
	"reflect"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// FuzzCalls checks that resolving any text ends, gives the same result each time, and gives valid
// names and problems.
func FuzzCalls(f *testing.F) {
	for _, row := range callRows {
		f.Add(row.text)
	}
	for _, text := range exactCommands {
		f.Add(text)
	}
	for _, text := range branchingCommands {
		f.Add(text)
	}
	for _, row := range hostileTexts {
		if len(row.text) < 2000 {
			f.Add(row.text)
		}
	}
	p := shell.Place{Dir: "/p", Root: "/p", Home: "/home/u"}
	f.Fuzz(func(t *testing.T, text string) {
		calls, problems := Calls(text, p)
		if len(calls) > maxCalls || len(problems) > maxProblem {
			t.Fatalf("%d calls, %d problems", len(calls), len(problems))
		}
		for _, c := range calls {
			if strings.ContainsAny(c.Name, "/"+placeholder) || c.Name == "" && c.Path == "" && !hasProblems(problems) {
				t.Errorf("name %q of path %q", c.Name, c.Path)
			}
			for _, r := range c.Redir {
				if r.Op == "" {
					t.Errorf("%q: redirection without operator", c.Path)
				}
			}
		}
		for _, e := range problems {
			if e.Label < shell.Unknown || e.Reason == "" || e.Category == shell.NoCategory {
				t.Errorf("problem %+v", e)
			}
		}
		if len(text) > 500 {
			return
		}
		again, _ := Calls(text, p)
		if len(again) != len(calls) || len(calls) > 0 && !reflect.DeepEqual(again[len(again)-1].Args, calls[len(calls)-1].Args) {
			t.Error("a second run has another result")
		}
	})
}

// hasProblems reports whether problems is not empty.
func hasProblems(problems []shell.Effect) bool { return len(problems) > 0 }
