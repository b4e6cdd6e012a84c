package classify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestEmptyPlaceholders checks that words with an unknown part are also judged as if that part were
// empty.
func TestEmptyPlaceholders(t *testing.T) {
	p := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	for _, tt := range []struct {
		text  string
		label shell.Label
	}{
		{"find . -dele${none}te", shell.Destructive},
		{"kube${none}ctl dele${none}te namespace production", shell.Destructive},
		{"${none}nice rm -rf ~", shell.Destructive},
		{"l${none}vremove -f vg0/data", shell.Destructive},
		{"git push --fo${none}rce origin main", shell.Destructive},
		{"terraform ${none}apply ${none}-destroy -auto-approve", shell.Destructive},
		{"l${none}s", shell.Unknown}, // the program may be another one
		{"ls feature$none", shell.Safe},
		{"git show feature-$none", shell.Safe},
	} {
		if got := Command(tt.text, p).Label; got != tt.label {
			t.Errorf("%s: %v, want %v", tt.text, got, tt.label)
		}
	}
}

// TestManyReadsDoNotHideWrites checks that a report has room for other effects, however many files a
// command reads.
func TestManyReadsDoNotHideWrites(t *testing.T) {
	p := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	var b strings.Builder
	for i := range shell.MaxEffects + 50 {
		fmt.Fprintf(&b, "cat src/part%d.ts\n", i)
	}
	r := Command(b.String()+"touch build/stamp\nmkdir -p build/x\n", p)
	if r.Label != shell.Safe || !r.Gaps.IsEmpty() || len(r.Effects) > shell.MaxEffects {
		t.Errorf("%v, %v, %d effects: %s", r.Label, r.Gaps.Worst(), len(r.Effects), r.Reason)
	}
	wrote := false
	for i := range r.Effects {
		wrote = wrote || strings.Contains(strings.Join(r.Effects[i].Paths, " "), "build/stamp")
	}
	if !wrote {
		t.Error("the file that it writes is missing")
	}
}
