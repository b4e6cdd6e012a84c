package conduct

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFindReferences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Published! Community.example.com/my-app.":             {"community.example.com/my-app"},
		"See [it](https://example.com/p/1?x=2#y).":             {"https://example.com/p/1?x=2#y"},
		"Posted to AgentX: /post/123":                          {"/post/123"},
		"Scheduled as task_8f3a1.":                             {"task_8f3a1"},
		"Scheduled, id: 4521":                                  {"4521"},
		"It is #4521 now":                                      {"#4521"},
		"Scheduled “Daily digest” for 9am on 2026-05-01, $100": {"daily digest"},
		"Scheduled **Daily digest** at 10:30":                  {"daily digest"},
		"v1.2.3 and 3.14, e.g. and/or 24/7":                    nil,
	} {
		if got := findReferences(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestProves(t *testing.T) {
	t.Parallel()
	registry := `{"previews":[{"id":"x","url":"https:\/\/www.example.com\/p\/my-App\/"},{"id":"abc-123"}],"posts":["/post/1234"],"note":"hello world","title":"Daily digest","n":4521}`
	file := filepath.Join(t.TempDir(), "registry.json")
	guardtest.WriteFile(t, file, registry)
	evidence, err := readEvidence(file)
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]bool{
		"https://example.com/p/my-app":     true,
		"example.com/p/my-app/":            true,
		"https://example.com/p/my-app?a=b": true,
		"https://example.com/p/my-app-2":   false,
		"https://example.com/p/my":         false,
		"https://example.com":              false, // of everything there
		"https://evilexample.com/p/other":  false,
		"https://other.com/q/abc-123":      true, // the id
		"https://other.com/q/abc-1234":     false,
		"/post/1234":                       true,
		"/post/123":                        false,
		"/preview/x/":                      true,
		"/preview/y/":                      false,
		"/preview/hello":                   false, // a word of a text
		"abc-123":                          true,
		"abc-12":                           false,
		"daily digest":                     true,
		"digest daily":                     false,
		"#4521":                            true,
		"452":                              false,
	} {
		if got := proves(evidence, ref); got != want {
			t.Errorf("%q: %v, want %v", ref, got, want)
		}
	}
	if proves("", "abc-123") {
		t.Error("nothing proves something")
	}
}

func TestReadEvidence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if text, err := readEvidence(filepath.Join(dir, "none")); text != "" || err != nil {
		t.Errorf("a file that is not there: %q, %v", text, err)
	}
	if _, err := readEvidence(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	big := filepath.Join(dir, "big")
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("\nabc-999\n"), maxEvidence+5); err != nil {
		t.Fatal(err)
	}
	if text, err := readEvidence(big); err != nil || len(text) > maxEvidence || !proves(text, "abc-999") {
		t.Errorf("of a large file the end is not read: %d bytes, %v", len(text), err)
	}
}
