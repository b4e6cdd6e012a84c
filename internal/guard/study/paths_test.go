package study

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRealPath checks that a path that is not clean is resolved element by element.
func TestRealPath(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a/b", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct{ path, follow, stay string }{
		{"a/b", "a/b", "a/b"},
		{"./a//b/", "a/b", "a/b"},
		{"a/./b/.", "a/b", "a/b"},
		{"a/...", "a/...", "a/..."},
		{"a/..b/c..", "a/..b/c..", "a/..b/c.."},
		{"link", "a/b", "link"},
		{"./link", "a/b", "link"},
		{"link/", "a/b", "link"},
		{"link/.", "a/b", "a/b"},
		{"link/..", "a", "a"},
		{"link/../x", "a/x", "a/x"},
		{"./link/nothing", "a/b/nothing", "a/b/nothing"},
		{"nothing/./at//all", "nothing/at/all", "nothing/at/all"},
	} {
		path := dir + "/" + tt.path
		if got := RealPath(path, true); got != filepath.Join(dir, tt.follow) {
			t.Errorf("%s leads to %s, want %s", tt.path, got, tt.follow)
		}
		if got := RealPath(path, false); got != filepath.Join(dir, tt.stay) {
			t.Errorf("%s is %s, want %s", tt.path, got, tt.stay)
		}
	}
}
