package state

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMarkedPathDetectsChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string) error{
		"written": func(dir string) error { return os.WriteFile(filepath.Join(dir, "f"), []byte("two"), 0o600) },
		"replaced": func(dir string) error {
			if err := os.WriteFile(filepath.Join(dir, "new"), []byte("one"), 0o600); err != nil {
				return err
			}
			return os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "f"))
		},
		"replaced and put back": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "f"), filepath.Join(dir, "away")); err != nil {
				return err
			}
			return os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, "f"))
		},
		"gone": func(dir string) error { return os.Remove(filepath.Join(dir, "f")) },
		"a link in its place": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "f"), filepath.Join(dir, "away")); err != nil {
				return err
			}
			return os.Symlink("away", filepath.Join(dir, "f"))
		},
		"the link leads elsewhere": func(dir string) error {
			if err := os.Remove(filepath.Join(dir, "l")); err != nil {
				return err
			}
			return os.Symlink("other", filepath.Join(dir, "l"))
		},
		"the link was another meanwhile": func(dir string) error {
			if err := os.Remove(filepath.Join(dir, "l")); err != nil {
				return err
			}
			return os.Symlink("f", filepath.Join(dir, "l"))
		},
		"the directory was another meanwhile": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "away")); err != nil {
				return err
			}
			return os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, "d"))
		},
		"the directory behind a link was another meanwhile": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "real"), filepath.Join(dir, "away")); err != nil {
				return err
			}
			return os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, "real"))
		},
		"the link to the directory was another meanwhile": func(dir string) error {
			if err := os.Remove(filepath.Join(dir, "ld")); err != nil {
				return err
			}
			return os.Symlink("real", filepath.Join(dir, "ld"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, sub := range []string{"d", "real"} {
				if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("real", filepath.Join(dir, "ld")); err != nil {
				t.Skip(err)
			}
			for _, f := range []string{"f", "other", "d/g", "real/h"} {
				if err := os.WriteFile(filepath.Join(dir, f), []byte("one"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("f", filepath.Join(dir, "l")); err != nil {
				t.Skip(err)
			}
			mark := func() []MarkedPath {
				var files []MarkedPath
				for _, f := range []string{"f", "l", "d/g", "ld/h"} {
					info, err := os.Stat(filepath.Join(dir, f))
					if err != nil {
						t.Fatal(err)
					}
					files = append(files, NewMarkedPath(filepath.Join(dir, f), MarkOf(info)))
				}
				return AddParents(files, filepath.Dir(dir))
			}
			files := mark()
			time.Sleep(SettleDelay(files, time.Now()))
			for _, sub := range []string{"", "d", "real"} { // hooks may create such entries
				if err := os.WriteFile(filepath.Join(dir, sub, "log"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := FirstChanged(files); got != "" {
				t.Fatalf("%s changed at once", got)
			}
			files = mark()
			time.Sleep(tick)
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			if got := FirstChanged(files); got == "" {
				t.Error("nothing changed")
			}
		})
	}
}

// TestSettleDelay checks that files that changed just now must be read again, because a further change
// may keep their mark.
func TestSettleDelay(t *testing.T) {
	t.Parallel()
	now := time.Unix(100, 0)
	at := func(ago time.Duration) []MarkedPath {
		return []MarkedPath{{Mark: Mark{Changed: now.Add(-ago).UnixNano()}}}
	}
	for _, tt := range []struct {
		ago, want time.Duration
	}{{time.Hour, 0}, {tick, 0}, {0, tick}, {tick / 4, 3 * tick / 4}, {-tick / 2, 3 * tick / 2}, {-time.Hour, 0}} {
		if got := SettleDelay(at(tt.ago), now); got != tt.want {
			t.Errorf("%v ago: wait %v, want %v", tt.ago, got, tt.want)
		}
	}
}
