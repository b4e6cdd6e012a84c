package classify_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

//go:embed testdata/whole.txt
var wholeTable string

// TestWholeCommands checks the labels of commands in testdata/whole.txt, which depend on several
// packages.
func TestWholeCommands(t *testing.T) {
	p := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	for line := range strings.SplitSeq(wholeTable, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		want, text, _ := strings.Cut(line, " ")
		r := classify.Command(strings.ReplaceAll(text, "⏎", "\n"), p)
		if r.Label.String() != want {
			t.Errorf("%s\n\tis %v (%s: %s), want %s", text, r.Label, r.Category, r.Reason, want)
		}
	}
}
