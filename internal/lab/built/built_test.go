package built

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestPut puts two programs into several directories at once, one that must be built and one that the
// shared directory has. The latter must not be built again.
func TestPut(t *testing.T) {
	shelf := t.TempDir()
	if err := os.Chmod(shelf, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Var, shelf)
	const there = "as it was"
	if err := os.WriteFile(filepath.Join(shelf, exeName("checkrein")), []byte(there), 0o700); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	dirs := make([]string, 3)
	for i := range dirs {
		dirs[i] = t.TempDir()
		all.Go(func() {
			if err := Put(dirs[i], "checkrein", "checkrein-models"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, dir := range dirs {
		if got, err := os.ReadFile(filepath.Join(dir, exeName("checkrein"))); err != nil || string(got) != there {
			t.Errorf("%d bytes, %v: it was built again", len(got), err)
		}
		if info, err := os.Stat(filepath.Join(dir, exeName("checkrein-models"))); err != nil || info.Size() < 1<<20 {
			t.Errorf("%v, %v: it was not built", info, err)
		}
	}
	if err := Put(t.TempDir(), "nonsense"); err == nil {
		t.Error("an unknown program was built")
	}
}
