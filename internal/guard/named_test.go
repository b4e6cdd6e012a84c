package guard

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNamedRules compares the list of named rules with the names in the code.
func TestNamedRules(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`"((?:self|protect|secrets)/[a-z-]+)"`)
	used := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllSubmatch(text, -1) {
			used[string(m[1])] = true
			if !slices.ContainsFunc(namedRules[:], func(r NamedRule) bool { return r.Name == string(m[1]) }) {
				t.Errorf("%s: %s is not listed", file, m[1])
			}
		}
	}
	for _, r := range namedRules {
		if !used[r.Name] {
			t.Errorf("%s is listed, and nothing decides by it", r.Name)
		}
		if r.Final != strings.HasPrefix(r.Name, "self/") {
			t.Errorf("%s: final is %v", r.Name, r.Final)
		}
	}
}
