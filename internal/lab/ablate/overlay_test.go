package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

const source = `package p

import "strings"

var rows = []string{
	"a",
	"b",
}

func one(s string) bool { return strings.HasPrefix(s, "a") }

func (t *tab) two() (string, error) {
	x := strings.Repeat("a", 2)
	return x, nil
}

func named() (n int, ok bool) { return 1, true }

type tab struct{}
`

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		off, want string
		lines     int
	}{
		{"p.go:one", "func one(s string) (_ bool) { return ;  return strings", 1},
		{"p.go:one=true", "func one(s string) bool { return true;  return strings", 1},
		{"p.go:tab.two", "two() (_ string, _ error) { return ; \n", 4},
		{"p.go:named", "named() (n int, ok bool) { return ;  return 1, true }", 1},
		{"p.go:rows", "var rows = []string{}", 4},
		{"p.go", "func one(s string) (_ bool) { return ;", 6},
	} {
		got, lines, err := withoutParts("p.go", []byte(source), []switchOff{parseOff(tt.off)})
		if err != nil || lines != tt.lines || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s: %d lines, %v:\n%s", tt.off, lines, err, got)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", got, 0); err != nil {
			t.Errorf("%s: %v", tt.off, err)
		}
	}
	if _, _, err := withoutParts("p.go", []byte(source), []switchOff{parseOff("p.go:three")}); err == nil {
		t.Error("a function that does not exist was switched off")
	}
}

// TestParts checks that the files and names of all parts exist.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, p := range parts {
		if _, lines, err := writeOverlay(t.TempDir(), "../../..", switchOffs([]string{p.name})); err != nil || lines == 0 {
			t.Errorf("%s: %d lines, %v", p.name, lines, err)
		}
	}
}

func TestWithSwitches(t *testing.T) {
	t.Parallel()
	text, names, err := withSwitches("p.go", []byte(source), 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"func one(s string) (_ bool) { if ablated.EnterOff(7) { return };  return strings",
		"two() (_ string, _ error) { if ablated.EnterOff(8) { return }; ",
		"named() (n int, ok bool) { if ablated.EnterOff(9) { return };  return 1, true }",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(names) != 3 || names[1] != "p.go:tab.two\t4 lines" {
		t.Errorf("functions %q", names)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0); err != nil {
		t.Error(err)
	}
}
