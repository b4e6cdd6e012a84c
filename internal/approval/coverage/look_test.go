package coverage

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStillHold(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(at("d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		look   func(l *DiskView)
		change func()
	}{
		{"content", func(l *DiskView) { _, _ = l.File(at("a")) }, func() { write("a", "two") }},
		{"gone", func(l *DiskView) { _, _ = l.Digest(at("a")) }, func() { os.Remove(at("a")) }},
		{"appears", func(l *DiskView) { l.Kind(at("x")) }, func() { write("x", "") }},
		{"another kind", func(l *DiskView) { l.Kind(at("a")) }, func() { os.Remove(at("a")); os.Symlink(at("d"), at("a")) }},
		{"another name", func(l *DiskView) { _, _ = l.Names(dir) }, func() { write("y", "") }},
		{"missing file", func(l *DiskView) { _, _ = l.File(at("z")) }, func() { write("z", "") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			write("a", "one")
			var l DiskView
			test.look(&l)
			if seen := l.Observations(); len(seen) != 1 || !StillHold(seen) {
				t.Fatalf("does not hold at once: %v", seen)
			}
			test.change()
			if StillHold(l.Observations()) {
				t.Error("still holds after the change")
			}
			os.Remove(at("a"))
		})
	}
}
