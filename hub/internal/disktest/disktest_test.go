//go:build linux

package disktest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/hub/internal/disktest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnsyncedDataIsLost(t *testing.T) {
	t.Parallel()
	d := disktest.Mount(t)
	a, err := os.Create(filepath.Join(d.Dir, "a"))
	must(t, err)
	defer a.Close()
	_, err = a.WriteString("kept")
	must(t, err)
	must(t, a.Sync())
	_, err = a.WriteString(" lost")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(d.Dir, "b"), []byte("lost"), 0o600))
	s, err := os.OpenFile(filepath.Join(d.Dir, "c"), os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_SYNC, 0o600)
	must(t, err)
	defer s.Close()
	for range 3 {
		_, err = s.WriteString("x")
		must(t, err)
	}
	must(t, os.WriteFile(filepath.Join(d.Dir, "e"), []byte("lost"), 0o600))
	after := d.After(t)
	for name, want := range map[string]string{"a": "kept", "b": "", "c": "xxx"} {
		if got, err := os.ReadFile(filepath.Join(after, name)); err != nil || string(got) != want {
			t.Errorf("%s has %q, want %q (%v)", name, got, want, err)
		}
	}
	if _, err := os.Stat(filepath.Join(after, "e")); err == nil {
		t.Error("a name that was never synced survived")
	}
}
