package nolink

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHasNoLink(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "a", "a/last": "b", "dangling": "nowhere", "self": "self"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if !HasNoLink(dir) {
		t.Skip("the system does not tell")
	}
	for _, test := range []struct {
		path     string
		end, way bool
	}{
		{"a/b", true, true},
		{"a/file", true, true},
		{"a/nothing/at/all", true, true},
		{"a/file/below", true, true},
		{"link", false, true},
		{"link/b", false, false},
		{"link/nothing", false, false},
		{"a/last", false, true},
		{"a/last/x", false, false},
		{"dangling", false, true},
		{"dangling/x", false, false},
		{"self/x", false, false},
		{"a/nothing/../../link/b", false, false},
		{"a/../a", false, false},
		{"a/", false, false},
	} {
		path := dir + "/" + test.path
		if got := HasNoLink(path); got != test.end {
			t.Errorf("Path(%s) = %v", test.path, got)
		}
		if got := ParentHasNoLink(path); got != test.way {
			t.Errorf("Way(%s) = %v", test.path, got)
		}
	}
	if HasNoLink("relative") || ParentHasNoLink("") || HasNoLink("/proc/self/cwd") || HasNoLink(dir+"/a\x00b") {
		t.Error("what cannot be told is told")
	}
}
