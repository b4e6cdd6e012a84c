package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/state"
)

func newSpills(t *testing.T) (*Kit, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return &Kit{state: state.NewDir(dir), now: time.Now}, filepath.Join(dir, spillFolder)
}

func eventInSession(id string) *checkrein.Event {
	return &checkrein.Event{Kind: checkrein.ToolResponseTransform, Session: checkrein.Session{ID: id}}
}

// writeOld creates a file that is a week old.
func writeOld(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	makeOld(t, path)
}

// makeOld sets the time of a file to a week ago.
func makeOld(t *testing.T, path string) {
	t.Helper()
	then := time.Now().Add(-7 * 24 * time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Whatever the id of a session is, its saved outputs are private, and are removed with that session
// only.
func TestSpilledTextsArePrivate(t *testing.T) {
	t.Parallel()
	k, dir := newSpills(t)
	ids := []string{"s1", "../../up", "/etc/passwd", "a/b\\c", strings.Repeat("x", 5000), "\x00\n", "unknown", "."}
	paths := map[string]string{}
	for _, id := range ids {
		path, err := k.spill(eventInSession(id), "text of "+id)
		if err != nil || !strings.HasPrefix(path, dir+string(filepath.Separator)) {
			t.Fatalf("%q: %q, %v", id, path, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "text of "+id {
			t.Errorf("%q: %q, %v", id, text, err)
		}
		for _, p := range []string{path, filepath.Dir(path), dir} {
			if info, err := os.Stat(p); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
				t.Errorf("%s: %v, %v", p, info.Mode(), err)
			}
		}
		paths[id] = path
	}
	for i, id := range ids {
		if err := k.removeSpills(eventInSession(id)); err != nil {
			t.Fatal(err)
		}
		for j, other := range ids {
			if exists(paths[other]) != (j > i) {
				t.Errorf("after the end of %q, that of %q is there: %v", id, other, j <= i)
			}
		}
	}
	if err := k.removeSpills(eventInSession("never was")); err != nil {
		t.Error(err)
	}
}

func TestConcurrentSpills(t *testing.T) {
	t.Parallel()
	k, _ := newSpills(t)
	var wg sync.WaitGroup
	var seen sync.Map
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				id := fmt.Sprint("s", i%4)
				path, err := k.spill(eventInSession(id), id)
				if err != nil {
					t.Error(err)
					return
				}
				if _, twice := seen.LoadOrStore(path, true); twice {
					t.Errorf("%s was given out twice", path)
				}
				if j%10 == 9 {
					if err := k.removeSpills(eventInSession(fmt.Sprint("other", i))); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// Outputs of sessions that never ended are removed after a while, and nothing else is.
func TestOldSpillsAreRemoved(t *testing.T) {
	t.Parallel()
	k, dir := newSpills(t)
	gone := filepath.Join(dir, "0123456789abcdef")
	writeOld(t, filepath.Join(gone, "a.txt"))
	makeOld(t, gone)
	foreign := filepath.Join(dir, "notes")
	writeOld(t, foreign)
	noSession := filepath.Join(dir, "unknown", "a.txt")
	writeOld(t, noSession)
	if _, err := k.spill(eventInSession(""), "new"); err != nil { // this changes the modification time of the folder
		t.Fatal(err)
	}
	last, err := k.spill(eventInSession(""), "new")
	if err != nil {
		t.Fatal(err)
	}
	if exists(gone) || exists(noSession) || !exists(foreign) || !exists(last) {
		t.Errorf("old session %v, without a session %v, foreign %v, new %v", exists(gone), exists(noSession), exists(foreign), exists(last))
	}
}

// A symlink in the place of the folder is not followed, so that nothing is written or removed behind
// it.
func TestSpillFollowsNoSymlinks(t *testing.T) {
	t.Parallel()
	victim := filepath.Join(t.TempDir(), "documents")
	doc, sub := filepath.Join(victim, "thesis.txt"), filepath.Join(victim, "0123456789abcdef", "x")
	writeOld(t, doc)
	writeOld(t, sub)
	makeOld(t, filepath.Dir(sub))
	k, dir := newSpills(t)
	if err := os.Symlink(victim, dir); err != nil {
		t.Skip(err)
	}
	path, err := k.spill(eventInSession("s"), "text")
	if err == nil {
		t.Errorf("it was written to %s", path)
	}
	if err := k.removeSpills(eventInSession("s")); err != nil {
		t.Error(err)
	}
	if !exists(doc) || !exists(sub) {
		t.Fatal("what lies behind a link was removed")
	}
	k, dir = newSpills(t)
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(victim, filepath.Join(dir, k.spillFolderName(eventInSession("s"))))); err != nil {
		t.Fatal(err)
	}
	if path, err := k.spill(eventInSession("s"), "text"); err == nil {
		t.Errorf("it was written to %s", path)
	}
	if err := k.removeSpills(eventInSession("s")); err != nil || !exists(doc) {
		t.Errorf("%v; the document is there: %v", err, exists(doc))
	}
}
