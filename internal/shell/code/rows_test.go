package code

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestEffectsOfSampleCalls checks the effects of the calls in testdata/rows.txt: attacks in every
// language, and everyday code that looks like them.
func TestEffectsOfSampleCalls(t *testing.T) {
	data, err := os.ReadFile("testdata/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(line, "\t", 3)
		words := strings.Split(strings.ReplaceAll(f[2], "⏎", "\n"), " ¦ ")
		c := &shell.Call{Name: words[0], Path: words[0]}
		for _, w := range words[1:] {
			c.Args = append(c.Args, shell.Word{Text: w})
		}
		effects, nested, _ := Effects(c, &shell.Place{Root: "/home/u/proj", Home: "/home/u"})
		got := strings.ReplaceAll(strings.Join(nested, " ¦ "), "\n", "⏎")
		if label := strongestLabel(effects); label != f[0] || got != f[1] {
			t.Errorf("%s\n got %s [%s]\nwant %s [%s]", f[2], label, got, f[0], f[1])
		}
	}
}

// TestModuleTables checks that the tables are sorted, because they are searched by bisection, and that
// each reading function belongs to a closed module.
func TestModuleTables(t *testing.T) {
	for name, words := range map[string][]string{
		"pythonModules": pythonModules[:], "pythonClosed": pythonClosed[:], "pythonReads": pythonReads[:], "javascriptModules": javascriptModules[:],
		"javascriptClosed": javascriptClosed[:], "javascriptReads": javascriptReads[:], "perlModules": perlModules[:], "rubyLibraries": rubyLibraries[:],
	} {
		if !slices.IsSorted(words) {
			t.Errorf("%s is not sorted", name)
		}
	}
	for l := lang(0); l < 32; l++ {
		if !slices.IsSortedFunc(functionTable(l), func(a, b entry) int { return strings.Compare(a.name, b.name) }) {
			t.Errorf("the names of language %d are not sorted", l)
		}
	}
	for _, n := range pythonReads {
		if head, _, _ := strings.Cut(n, "."); !containsWord(pythonClosed[:], head) {
			t.Errorf("%s does not belong to a closed module", n)
		}
	}
	for _, n := range javascriptReads {
		if head, _, _ := strings.Cut(n, "."); !containsWord(javascriptClosed[:], head) {
			t.Errorf("%s does not belong to a closed object", n)
		}
	}
}
