package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const page = "../../../docs/troubleshooting.md"

// Every row of the troubleshooting page names existing checks and tests, and every check is in a row.
func TestTroubleshootingPage(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	rows := 0
	for n, line := range strings.Split(string(body), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || len(cells) < 3 || strings.HasPrefix(cells[0], "what ") {
			continue
		}
		rows++
		checks, tests := codeSpans(cells[len(cells)-2]), codeSpans(cells[len(cells)-1])
		all = append(all, checks...)
		if len(checks) == 0 && cells[len(cells)-2] != "–" {
			t.Errorf("line %d: no check and no –", n+1)
		}
		for _, id := range checks {
			if checkByID(id).Area == "" {
				t.Errorf("line %d: there is no check %q", n+1, id)
			}
		}
		if len(tests) == 0 {
			t.Errorf("line %d: no test", n+1)
		}
		for _, name := range tests {
			if !testExists(t, name) {
				t.Errorf("line %d: there is no test %s", n+1, name)
			}
		}
	}
	if rows < 80 {
		t.Errorf("only %d rows were read", rows)
	}
	for _, c := range Checks() {
		if !slices.Contains(all, c.ID) {
			t.Errorf("%s is in no row of the page", c.ID)
		}
	}
}

func codeSpans(cell string) []string {
	var out []string
	for i, s := range strings.Split(cell, "`") {
		if i%2 == 1 {
			out = append(out, s)
		}
	}
	return out
}

// testExists reports whether there is a script called name, or a test function of that name.
func testExists(t *testing.T, name string) bool {
	t.Helper()
	root := "../../.."
	if script, ok := strings.CutPrefix(name, "script/"); ok {
		_, err := os.Stat(filepath.Join(root, "cmd/checkrein/testdata/script", script+".txtar"))
		return err == nil
	}
	pkg, fn, ok := strings.Cut(name, ".")
	if !ok {
		return false
	}
	if pkg == "checkrein" {
		pkg = "."
	}
	files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(fn) + `\(t \*testing\.T\)`)
	return slices.ContainsFunc(files, func(f string) bool {
		body, err := os.ReadFile(f)
		return err == nil && declared.Match(body)
	})
}
