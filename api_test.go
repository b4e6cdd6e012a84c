package checkrein_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestAPI compares the documentation of the public packages with docs/api.txt, so that changes of the
// API are visible in reviews.
func TestAPI(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("docs/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, p := range []string{".", "./engine", "./kit", "./checkreintest"} {
		text, err := exec.Command("go", "doc", "-all", p).Output()
		if err != nil {
			t.Fatalf("go doc %s: %v", p, err)
		}
		got.WriteString("=== " + p + "\n\n" + string(text) + "\n")
	}
	if got.String() != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Error("docs/api.txt differs from go doc: run make generate, and review the difference")
	}
}

// TestRootIsSmall limits the number of names that the root package exports. Constants of a type count
// as part of the type.
func TestRootIsSmall(t *testing.T) {
	t.Parallel()
	text, err := exec.Command("go", "doc", "-short", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^(type|func|var|const|    func) .*$`).FindAllString(string(text), -1)
	if len(names) > 30 {
		t.Errorf("%d exported names:\n%s", len(names), strings.Join(names, "\n"))
	}
}
