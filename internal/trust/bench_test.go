package trust

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
