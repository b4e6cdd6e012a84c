package verdicts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/guardtest"
	sh "github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// An inlineCase is a command that contains code, and the expected result.
type inlineCase struct{ language, want, command string }

func inlineCases(t *testing.T) []inlineCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(verdictData, "inline.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []inlineCase
	var language, want string
	for part := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		if head, ok := strings.CutPrefix(part, "=== "); ok {
			head, part, _ = strings.Cut(head, "\n")
			language, want, _ = strings.Cut(head, " ")
		}
		if language != "" {
			out = append(out, inlineCase{language, want, part})
		}
	}
	return out
}

// TestInlineCode judges code in many languages. Calls count, and so do functions that are passed as
// values; code that cannot be read is not safe.
func TestInlineCode(t *testing.T) {
	cases := inlineCases(t)
	if len(cases) < 500 {
		t.Fatalf("only %d cases", len(cases))
	}
	g := guardtest.New(t)
	guardtest.Each(cases, func(_ int, c *inlineCase) {
		command := g.Localize(c.command)
		v := g.Decide("", command)
		report := classify.Command(command, sh.Place{Dir: g.Project, Root: g.Project, Home: g.Home})
		stopped, label := guardtest.Stops(v.Decision), report.Label
		right, known := map[string]bool{
			"harmful":  stopped && label != sh.Safe,
			"unread":   !stopped && label == sh.Unknown,
			"opaque":   stopped && label == sh.Unknown,
			"harmless": !stopped && label == sh.Safe,
		}[c.want]
		switch {
		case !known:
			t.Errorf("what is %q?", c.want)
		case !right:
			t.Errorf("%s, want %s: %s, %s (%s):\n%s", c.language, c.want, v.Decision, label, report.Reason, command)
		}
	})
}
