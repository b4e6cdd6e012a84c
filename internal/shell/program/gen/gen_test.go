package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	files, err := generate("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not current (%v): run go generate ./internal/shell/program", name, err)
		}
	}
}

// TestOneRuleChangesOneLine adds a rule before all others of a pack and checks that one line of the
// index changes.
func TestOneRuleChangesOneLine(t *testing.T) {
	t.Parallel()
	packs, _, err := readSets("..")
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Split(indexText(packs), "\n")
	for n, cmd := range []string{"git push", "git", "docker volume|network rm", "ls", "psql", "a-program-that-is-new"} {
		for _, i := range []int{n, len(packs) - 1} {
			sets := slices.Clone(packs)
			more := rule{Rule: shell.Rule{ID: "a-rule-that-is-new", Cmd: cmd}}
			sets[i].rules = slices.Insert(slices.Clone(sets[i].rules), 0, more)
			if n := countChangedLines(before, strings.Split(indexText(sets), "\n")); n != 1 {
				t.Errorf("a rule for %q in %s changes %d lines of the index", cmd, sets[i].tag, n)
			}
		}
	}
}

// countChangedLines returns the number of lines that were added, removed or changed.
func countChangedLines(before, after []string) int {
	n := 0
	for len(before) > 0 && len(after) > 0 {
		switch {
		case before[0] == after[0]:
			before = before[1:]
		case len(after) > len(before): // a line was inserted
			n++
		default:
			n++
			before = before[1:]
		}
		after = after[1:]
	}
	return n + len(before) + len(after)
}

func TestExpandListsAndBraces(t *testing.T) {
	t.Parallel()
	l := line{file: "x.txt", number: 3, lists: map[string]string{"writes": "put delete", "shells": "sh|bash"}}
	for text, want := range map[string]string{
		"-x @writes":              "-x put delete",
		"fish|@shells|zsh run":    "fish|sh|bash|zsh run",
		"a{b,c}d{e,f} g":          "abde abdf acde acdf g",
		"22|{22|{22}|{22,*|*@*:*": "22|{22|{22}|{22,*|*@*:*",
	} {
		if got, err := l.expand(text); err != nil || got != want {
			t.Errorf("expand(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	if _, err := l.expand("@reads"); err == nil || !strings.HasPrefix(err.Error(), "x.txt:3: ") {
		t.Errorf("an unknown list: %v", err)
	}
}

func TestInvalidLinesAreRejected(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a-rule",
		"a-rule | git push",
		"a-rule | git push | a reason",
		"a-rule | git push | destructive push git-history | a reason",
		"a-rule | git push | destructive push no-category high | a reason",
		"a-rule | git push | some: -f | safe push git-write | a reason",
		"a-rule | git push | any: -f | any: -n | safe push git-write | a reason",
	} {
		if rule, err := parseRule(&line{text: text}, false); err == nil {
			t.Errorf("%q is read as %+v", text, rule)
		}
	}
	for _, column := range []string{"wors: read…", "subs exacts", "is: no-category", "stop: many"} {
		if fields, err := columnFields(&line{text: column}, column, nil); err == nil {
			t.Errorf("%q is read as %q", column, fields)
		}
	}
}
