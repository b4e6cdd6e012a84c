package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVersionsNameTests checks that the tests which versions.md and CONTRIBUTING.md name exist.
func TestVersionsNameTests(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{}
	for _, page := range []string{"versions.md", "../CONTRIBUTING.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(text), -1)
		if len(names) == 0 {
			t.Errorf("%s names no test", page)
		}
		for _, m := range names {
			missing[m[1]] = true
		}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for name := range missing {
			if strings.Contains(string(text), "\nfunc "+name+"(t ") {
				delete(missing, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range missing {
		t.Errorf("there is no %s", name)
	}
}
