package approval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

func BenchmarkCheck(b *testing.B) {
	p := newProject(b)
	p.write("scripts/guard.sh", "#!/bin/sh\n"+strings.Repeat("# ten bytes\n", 10_000/12))
	h := commandHook(p.root, "guard", `"$CLAUDE_PROJECT_DIR"/scripts/guard.sh --strict`)
	p.approve(h)
	s := p.store(h)
	s.Check(&h) // files that were written just now are looked at twice
	b.ReportAllocs()
	for b.Loop() {
		if got, why, _ := s.Check(&h); got != Approved {
			b.Fatal(why)
		}
	}
}

// Checking a hook with three files must take less than a twentieth of the time that starting a program
// takes.
func BenchmarkCheckThreeFiles(b *testing.B) {
	p := newProject(b)
	for _, name := range []string{"guard.sh", "lib.sh", "rules.py"} {
		p.write("scripts/"+name, "#!/bin/sh\n"+strings.Repeat("# ten bytes\n", 2_000/12))
	}
	h := commandHook(p.root, "guard", `. scripts/lib.sh && scripts/guard.sh && python3 scripts/rules.py`)
	if list := p.approve(h); len(list[0].Parts) != 3 {
		b.Fatal(list[0].Parts)
	}
	s := p.store(h)
	s.Check(&h) // files that were written just now are looked at twice
	b.ReportAllocs()
	for b.Loop() {
		if got, why, _ := s.Check(&h); got != Approved {
			b.Fatal(why)
		}
	}
}

// The files are the same, but something else changed, so that a new plan is made.
func BenchmarkCheckNewPlan(b *testing.B) {
	p := newProject(b)
	p.write("Makefile", "lint:\n\t./lint.sh\nother:\n\ttrue\n")
	p.write("lint.sh", "exit 0\n")
	h := commandHook(p.root, "guard", "make lint")
	p.approve(h)
	p.write("Makefile", "lint:\n\t./lint.sh\nother:\n\tfalse\n")
	s := p.store(h)
	s.Check(&h) // files that were written just now are looked at twice
	b.ReportAllocs()
	for b.Loop() {
		if got, why, _ := s.Check(&h); got != Approved {
			b.Fatal(why)
		}
	}
}

func BenchmarkLoadAndBind(b *testing.B) {
	p := newProject(b)
	p.write("guard.sh", "true")
	var hooks []checkrein.Hook
	for i := range 50 {
		hooks = append(hooks, commandHook(p.root, fmt.Sprint("guard", i), "./guard.sh"))
	}
	p.approve(hooks...)
	b.ReportAllocs()
	for b.Loop() {
		p.store(hooks[:5]...)
	}
}
