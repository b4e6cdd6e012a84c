package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVersionsNameTests checks that the tests which versions.md names exist.
func TestVersionsNameTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("versions.md")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, m := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(page), -1) {
		missing[m[1]] = true
	}
	if len(missing) == 0 {
		t.Fatal("versions.md names no test")
	}
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
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
