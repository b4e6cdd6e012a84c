package files_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/resolve"
)

// TestCommandRowsResolved runs the commands in testdata/commands.txt through package resolve. Their
// labels must be those that the parser of the other tests leads to.
func TestCommandRowsResolved(t *testing.T) {
	f, err := os.Open("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	place := shell.Place{Dir: "/work/app", Root: "/work/app", Home: "/home/me"}
	want := ""
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if head, ok := strings.CutPrefix(line, "== "); ok {
			want, _, _ = strings.Cut(head, " ")
			continue
		}
		// The command that fd runs is a separate call on all files, whatever their names.
		if line == "" || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "fd ") {
			continue
		}
		calls, _ := resolve.Calls(line, place)
		var worst shell.Effect
		for _, c := range calls {
			effects, _ := files.Effects(c, &place)
			for _, e := range append(effects, files.RedirectEffects(c, &place)...) {
				if e.Label > worst.Label {
					worst = e
				}
			}
		}
		if worst.Label.String() != want {
			t.Errorf("%-50s got %s (%s: %s), want %s; %d calls", line, worst.Label, worst.Words, worst.Reason, want, len(calls))
		}
	}
}

// TestCompoundCommands checks the labels of lists, pipelines, loops and searches in
// testdata/texts.txt.
func TestCompoundCommands(t *testing.T) {
	f, err := os.Open("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	place := shell.Place{Dir: "/work/app", Root: "/work/app", Home: "/home/u"}
	want, n := "", 0
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if head, ok := strings.CutPrefix(line, "== "); ok {
			want = head
			continue
		}
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		n++
		worst := shell.Safe
		calls, _ := resolve.Calls(strings.ReplaceAll(line, "⏎", "\n"), place)
		for _, c := range calls {
			effects, _ := files.Effects(c, &place)
			for _, e := range append(effects, files.RedirectEffects(c, &place)...) {
				worst = max(worst, e.Label)
			}
		}
		if worst.String() != want {
			t.Errorf("%s: got %s, want %s", line, worst, want)
		}
	}
	if n < 500 {
		t.Errorf("only %d rows", n)
	}
}
