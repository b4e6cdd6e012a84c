package blocked

import (
	"os"
	"path/filepath"
	"testing"
)

// A line goes into a person's file where that lies, with the rights that it has, and
// not beside a list of the same name.
func TestAddLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles.yaml"), filepath.Join(dir, "checkrein.yaml")
	if err := os.WriteFile(real, []byte("version: 1\nshadow: 2031-01-01"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("SKIPPED: links cannot be made here")
	}
	for _, want := range []bool{true, false} {
		added, err := addLine(link, "packs: [{name: git, high: ask}]")
		if err != nil || added != want {
			t.Fatalf("added %t, %v", added, err)
		}
	}
	text, err := os.ReadFile(real)
	if err != nil || string(text) != "version: 1\nshadow: 2031-01-01\npacks: [{name: git, high: ask}]\n" {
		t.Errorf("%v: %q", err, text)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v: %v", err, info.Mode())
	}
	if at, err := os.Readlink(link); err != nil || at != real {
		t.Errorf("the link is gone: %q, %v", at, err)
	}
}
