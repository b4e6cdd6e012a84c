package classify

import (
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestHijack: what makes a known program run code from a place where anybody can put
// files is asked about; what names a file of the project or of the system is not.
func TestHijack(t *testing.T) {
	for file, want := range map[string]bool{"asked": true, "passed": false} {
		text, err := os.ReadFile("testdata/hijack/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) < 60 {
			t.Errorf("%s: %d rows", file, len(lines))
		}
		for _, line := range lines {
			r := Command(line, shell.Place{Dir: "/home/dev/project", Root: "/home/dev/project", Home: "/home/dev"})
			if got := r.Gaps.Has(shell.GapOpaque) || r.Gaps.Has(shell.GapLimit); got != want {
				t.Errorf("%s: opaque %v, want %v: %v", line, got, want, r.Effects)
			}
		}
	}
	// A project may lie there itself.
	in := Command("LD_PRELOAD=/tmp/work/lib/x.so ls", shell.Place{Dir: "/tmp/work", Root: "/tmp/work", Home: "/home/dev"})
	if in.Gaps.Has(shell.GapOpaque) {
		t.Error("a project in /tmp is a project", in.Effects)
	}
}
