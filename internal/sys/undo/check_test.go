package undo

import (
	"errors"
	"path/filepath"
	"testing"
)

// TestCheck checks that nothing is lost where nothing is, that a limit shows before anything is saved,
// and that checking writes nothing.
func TestCheck(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run("truncate -s 300M big")
	for _, tt := range []struct {
		name  string
		loss  Loss
		any   bool
		limit bool
	}{
		{"a file", Loss{Path: "src/a.go"}, true, false},
		{"no file", Loss{Path: "none"}, false, false},
		{"a pattern", Loss{Path: "src/*.go"}, true, false},
		{"a pattern for nothing", Loss{Path: "src/*.none"}, false, false},
		{"a pattern in no directory", Loss{Path: "none/*.go"}, false, false},
		{"a directory that is written as a file", Loss{Path: "src", InPlace: true, Shallow: true}, false, false},
		{"too much to copy", Loss{Path: "big", InPlace: true}, true, true},
		{"as much to link", Loss{Path: "big"}, true, false},
	} {
		tt.loss.Path = filepath.Join(b.dir, tt.loss.Path)
		any, err := b.store.Check(t.Context(), Request{Losses: []Loss{tt.loss}})
		if any != tt.any || errors.Is(err, ErrNotSaved) != tt.limit {
			t.Errorf("%s: %v %v", tt.name, any, err)
		}
		if !tt.any {
			if e, err := b.store.Save(t.Context(), Request{Losses: []Loss{tt.loss}}); e.ID != "" || err != nil {
				t.Errorf("%s is saved: %+v %v", tt.name, e, err)
			}
		}
	}
	if n, _, _ := b.store.Usage(); n != 0 {
		t.Errorf("%d saves", n)
	}
}

// TestReplace checks that a save replaces the one before it if both hold the same.
func TestReplace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	save := func() string {
		e, err := b.store.Save(t.Context(), Request{Dir: b.dir, Losses: []Loss{{Path: filepath.Join(b.dir, "src"), InPlace: true}}, Replace: true})
		if err != nil || e.ID == "" {
			t.Fatal(e, err)
		}
		return e.ID
	}
	first := save()
	second := save()
	if _, err := b.store.Find(first); !errors.Is(err, ErrUnknown) {
		t.Errorf("the first save of the same is still there: %v", err)
	}
	b.run("echo more >>src/a.go")
	third := save()
	for _, id := range []string{second, third} {
		if _, err := b.store.Find(id); err != nil {
			t.Errorf("a save of something else is gone: %v", err)
		}
	}
}
