package classify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// BenchmarkMakefile measures a make command with a Makefile of 200 lines.
func BenchmarkMakefile(b *testing.B) {
	var text strings.Builder
	text.WriteString("BIN := bin\nVERSION ?= $(shell git describe)\n.PHONY: all test\nall: t0 t1 t2\n")
	for i := range 65 {
		fmt.Fprintf(&text, "t%d: t%d\n\tgo build -o $(BIN)/t%d ./cmd/t%d\n\t@echo $@ $(VERSION)\n", i, i+1, i, i)
	}
	p := shell.Place{Dir: "/p", Root: "/p", Home: "/home/u", Read: func(path string) (string, bool) {
		return text.String(), path == "/p/Makefile"
	}}
	b.ReportAllocs()
	for b.Loop() {
		if r := Command("make t50", p); r.Label != shell.Safe {
			b.Fatal(r.Label, r.Reason)
		}
	}
}

// BenchmarkNoFile measures a command that runs no file.
func BenchmarkNoFile(b *testing.B) {
	p := shell.Place{Dir: "/p", Root: "/p", Home: "/home/u", Read: func(string) (string, bool) { return "", false }}
	for b.Loop() {
		Command("git status --short && ls -la src", p)
	}
}
