package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceFile checks that a replaced file is complete and has its mode, and that a failure leaves
// no temporary file behind.
func TestReplaceFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one", "another one"} {
		if err := ReplaceFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != fs.FileMode(0o640) && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	taken := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(taken, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := ReplaceFile(taken, nil, 0o600); err == nil {
		t.Error("a directory was replaced")
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("%v stay, %v", names, err)
	}
}
