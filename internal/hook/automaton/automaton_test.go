package automaton_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/hook/automaton"
	"github.com/checkrein/checkrein/internal/hook/match"
	"pgregory.net/rapid"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, out string // expressions, separated by spaces
		want    string
		result  automaton.Result
	}{
		{`^git`, ``, "git", automaton.Found},
		{`\Agit[^/]*\z`, `\Agit\z`, "gitx", automaton.Found},
		{`rm`, `r`, "", automaton.None},
		{`^a+$`, `^a{1,5}$`, "aaaaaa", automaton.Found},
		{`\bforce\b`, `^force`, " force", automaton.Found},
		{`\bforce\b`, `^force \Wforce`, "", automaton.None},
		{`(?i)\Adro\z`, `d o`, "DrO", automaton.Found},
		{`(?i)\Adro\z`, `(?i)o`, "", automaton.None},
		{`(?m)^b$`, `^b`, "\nb", automaton.Found},
		{`\Aé\z`, `\A.\z`, "", automaton.None},
		{`\A..\z`, `\A[a-zA-Z0-9_]`, " x", automaton.Found},
		{`\A[^\x00-\x{10FFFF}]\z`, ``, "", automaton.None},
		{`[^a](?m:^b)`, `a`, "\nb", automaton.Found},
		{`(x+x+)+y`, `x`, "", automaton.None},
		{`^(a|b)*a(a|b){14}$`, `^(a|b)*b(a|b){13}$ ^(a|b)*a(a|b){15}$`, "", automaton.Unknown},
	} {
		got, result := automaton.Search(langs(tt.in), langs(tt.out), &automaton.Budget{Steps: 20000})
		if got != tt.want || result != tt.result {
			t.Errorf("in %s, not in %s: %q, %v; want %q, %v", tt.in, tt.out, got, result, tt.want, tt.result)
		}
	}
}

func langs(list string) (out []*automaton.Lang) {
	for expr := range strings.FieldsSeq(list) {
		out = append(out, automaton.MustCompile(expr))
	}
	return out
}

var atoms = []string{"a", "b", "[ab]", "a*", "(a|b)+", "^a", "b$", `\ba`, `a\b`, `\B`, ".", "(?i:A)", "(?m:^b)", "[^a]", "(ab)?", "^$", `\n`}

// TestSearchFindsWhatExists compares Search with package regexp over all short strings: it finds a
// string exactly if there is one.
func TestSearchFindsWhatExists(t *testing.T) {
	t.Parallel()
	all := shortStrings("ab \nA", 4)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(atoms), 1, 3).Draw(t, label), rapid.SampledFrom([]string{"", "|"}).Draw(t, "joined by"))
		}
		in, out := draw("in"), draw("out")
		got, result := automaton.Search([]*automaton.Lang{automaton.MustCompile(in)}, []*automaton.Lang{automaton.MustCompile(out)}, nil)
		yes, no := regexp.MustCompile(in), regexp.MustCompile(out)
		if result == automaton.Found && (!yes.MatchString(got) || no.MatchString(got)) {
			t.Fatalf("%q is not in %s and not in %s", got, in, out)
		}
		for _, s := range all {
			if yes.MatchString(s) && !no.MatchString(s) && result != automaton.Found {
				t.Fatalf("in %s, not in %s: %v; but %q exists", in, out, result, s)
			}
		}
	})
}

// shortStrings returns all strings of up to n of the characters.
func shortStrings(chars string, n int) []string {
	out := []string{""}
	for from := 0; n > 0; n-- {
		end := len(out)
		for _, s := range out[from:end] {
			for _, r := range chars {
				out = append(out, s+string(r))
			}
		}
		from = end
	}
	return out
}

// TestGlobIsWhatConditionsMatch compares the expression of globs with the matcher of conditions.
func TestGlobIsWhatConditionsMatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		glob := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "/", "*", "**", "**/", "?", "[ab]", "[!a]", "[a-/]", `\*`, `\/`, "é", "[^é]", "]"}), 1, 6).Draw(t, "glob"), "")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "/", "*", "é", "]"}), 0, 7).Draw(t, "text"), "")
		if match.CheckGlob(glob) != nil {
			t.Skip()
		}
		if got, want := regexp.MustCompile(automaton.Glob(glob, '/')).MatchString(text), match.MatchPathGlob(glob, text); got != want {
			t.Fatalf("glob %s, text %s: the expression %s gives %v, the matcher %v", glob, text, automaton.Glob(glob, '/'), got, want)
		}
	})
}
