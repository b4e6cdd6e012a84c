package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/ledger"
)

// TestDamagedIndexIsMadeAnew spoils the file in many ways.
func TestDamagedIndexIsMadeAnew(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	s.grow(rand.New(rand.NewPCG(1, 1)), 60)
	s.rotate()
	path := filepath.Join(s.dir, File)
	overwrite := func(at int64, with string) func() error {
		return func() error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte(with), at)
			return errors.Join(err, f.Close())
		}
	}
	sql := func(text string) func() error {
		return func() error {
			db, err := openStore(t.Context(), path, "")
			if err != nil {
				return err
			}
			_, err = db.Exec(text)
			return errors.Join(err, db.Close())
		}
	}
	noise := strings.Repeat("noise", 4000)
	for _, tt := range []struct {
		name  string
		spoil func() error
	}{
		{"missing", func() error { return os.Remove(path) }},
		{"empty", func() error { return os.Truncate(path, 0) }},
		{"cut", func() error { return os.Truncate(path, 20000) }},
		{"not a database", func() error { return os.WriteFile(path, []byte("hello, this is a text"), 0o600) }},
		{"no header", overwrite(0, strings.Repeat("\x00", 100))},
		{"first page", overwrite(100, noise)},
		{"other pages", overwrite(16384, strings.Repeat(noise, 20))},
		{"older", sql("PRAGMA user_version = 0")},
		{"newer", sql("PRAGMA user_version = 99")},
		{"somebody else's", sql("PRAGMA application_id = 7")},
		{"no state", sql("DELETE FROM state")},
		{"no parts", sql("DELETE FROM part")},
		{"no parts of a kind", sql(fmt.Sprintf("DELETE FROM part WHERE id BETWEEN %d AND %d", partID(kind(fieldHost), 0), partID(kind(fieldHost)+1, 0)-1))},
		{"no places", sql(fmt.Sprintf("DELETE FROM part WHERE id >= %d", partID(partPlaces, 0)))},
		{"other parts", sql("UPDATE part SET data = x'0102'")},
		{"another bit", sql("UPDATE part SET data = CAST(substr(data, 1, length(data) - 1) || x'ff' AS BLOB) WHERE length(data) > 16")},
		{"cut parts", sql("UPDATE part SET data = substr(data, 1, 16)")},
		{"no segments", sql("DELETE FROM segment")},
		{"other segments", sql("UPDATE segment SET data = x'00'")},
		{"another's segment", sql("UPDATE segment SET data = (SELECT data FROM segment ORDER BY number DESC LIMIT 1)")},
		{"texts", sql("UPDATE part SET data = 'y'")},
	} {
		s.must(open(t, s.dir, Options{}).Close())
		if err := tt.spoil(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		t.Run(tt.name, func(t *testing.T) {
			ix := open(t, s.dir, Options{})
			defer ix.Close()
			s.check(t, ix, Filter{})
			s.check(t, ix, Filter{Host: []string{"codex"}, Hook: []string{"guard*"}})
			if hits, err := ix.ByHash(t.Context(), s.prev.String()); len(hits) != 1 || err != nil {
				t.Errorf("ByHash = %v, %v", hits, err)
			}
		})
	}
}

// TestDamageInTheMiddle is found after some answers were given: the rest comes
// from the new index, once.
func TestDamageInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, oldest := range []bool{false, true} {
		s := newShelf(t, "a")
		r := rand.New(rand.NewPCG(2, 2))
		for range 4 {
			s.grow(r, 50)
			s.rotate()
		}
		ix := open(t, s.dir, Options{})
		defer ix.Close()
		if _, err := ix.db.Exec("UPDATE part SET data = x'01' WHERE id = ?", partID(partPlaces, firstChunk(3))); err != nil {
			t.Fatal(err)
		}
		before := ix.db
		s.check(t, ix, Filter{Oldest: oldest})
		s.check(t, ix, Filter{Oldest: oldest, Limit: 170})
		if ix.db == before {
			t.Error("it is still the damaged one")
		}
	}
}

// TestRemovedWhileOpen is what a person may do at any time.
func TestRemovedWhileOpen(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	s.grow(rand.New(rand.NewPCG(9, 9)), 30)
	ix := open(t, s.dir, Options{})
	defer ix.Close()
	for hit, err := range ix.Query(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if hit.Seq == s.seq {
			s.must(removeStore(filepath.Join(s.dir, File)))
		}
		// The question itself has the only connection; this needs another, to a
		// file in which there is nothing.
		alone(t, ix, hit)
	}
	s.check(t, ix, Filter{})
	s.must(ix.Close())
	ix = open(t, s.dir, Options{})
	s.check(t, ix, Filter{Event: []string{"stop"}})
}

// TestSomebodyElseWrites has another process in the middle of a transaction.
func TestSomebodyElseWrites(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	r := rand.New(rand.NewPCG(8, 8))
	s.grow(r, 30)
	ix := open(t, s.dir, Options{})
	defer ix.Close()
	other, err := openStore(t.Context(), filepath.Join(s.dir, File), "")
	s.must(err)
	defer other.Close()
	tx, err := other.Begin()
	s.must(err)
	_, err = tx.Exec("DELETE FROM part")
	s.must(err)
	s.check(t, ix, Filter{Host: []string{"codex"}}) // nothing to add, nothing to wait for

	s.grow(r, 30)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- ix.CatchUp(ctx) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for it ends with %v", err)
	}
	s.must(tx.Rollback())
	s.check(t, ix, Filter{Host: []string{"codex"}})
}

// TestNamedFileOfOthers is never removed.
func TestNamedFileOfOthers(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	for name, content := range map[string]string{
		"text": "my thesis, the only copy, and it is longer than a header: " + strings.Repeat("x", 200),
		"odd":  "SQLite format 3\x00" + strings.Repeat("\x10", 600),
	} {
		path := filepath.Join(t.TempDir(), name)
		s.must(os.WriteFile(path, []byte(content), 0o600))
		if _, err := Open(t.Context(), s.dir, Options{Path: path}); !errors.Is(err, errForeign) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(path); string(got) != content || err != nil {
			t.Errorf("%s: it is now %q, %v", name, got, err)
		}
	}
	path := filepath.Join(t.TempDir(), "theirs.db")
	db, err := openStore(t.Context(), path, "")
	s.must(err)
	_, err = db.Exec("PRAGMA application_id = 7; CREATE TABLE dear (x)")
	s.must(errors.Join(err, db.Close()))
	if _, err := Open(t.Context(), s.dir, Options{Path: path}); !errors.Is(err, errForeign) {
		t.Errorf("a database of others: %v", err)
	}
}

// TestUnwritable keeps the index elsewhere, for as long as it is open.
func TestUnwritable(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, tt := range []struct {
		name string
		bar  func(t *testing.T, s *shelf)
	}{
		{"a directory in its place", func(t *testing.T, s *shelf) { s.must(os.Mkdir(filepath.Join(s.dir, File), 0o700)) }},
		{"read-only", func(t *testing.T, s *shelf) {
			if os.Getuid() <= 0 {
				t.Skip("nothing is read-only for this user")
			}
			s.must(os.Chmod(s.dir, 0o500))
			t.Cleanup(func() { os.Chmod(s.dir, 0o700) })
		}},
		{"read-only with an old index", func(t *testing.T, s *shelf) {
			if os.Getuid() <= 0 {
				t.Skip("nothing is read-only for this user")
			}
			s.must(open(t, s.dir, Options{}).Close())
			s.grow(rand.New(rand.NewPCG(4, 4)), 10)
			s.must(os.Chmod(filepath.Join(s.dir, File), 0o400))
			s.must(os.Chmod(s.dir, 0o500))
			t.Cleanup(func() { os.Chmod(s.dir, 0o700) })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf(t, "a")
			s.grow(rand.New(rand.NewPCG(3, 3)), 40)
			tt.bar(t, s)
			ix := open(t, s.dir, Options{})
			s.check(t, ix, Filter{})
			s.grow(rand.New(rand.NewPCG(5, 5)), 40)
			s.check(t, ix, Filter{Host: []string{"codex"}})
			if ix.temp == "" {
				t.Error("it is not elsewhere")
			}
			s.must(ix.Close())
			if _, err := os.Stat(ix.temp); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("it is still there: %v", err)
			}
		})
	}
}

func TestOpenAndClose(t *testing.T) {
	t.Parallel()
	if ix, err := Open(t.Context(), filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v, %v", ix, err)
	}
	ix := open(t, t.TempDir(), Options{})
	if n, err := ix.Count(t.Context(), Filter{}); n != 0 || err != nil {
		t.Errorf("no segments: %d, %v", n, err)
	}
	if err := ix.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ix.Count(t.Context(), Filter{}); err == nil {
		t.Error("a closed index answers")
	}
	s := newShelf(t, "a")
	s.must(os.WriteFile(filepath.Join(s.dir, ledger.HeadFile), nil, 0o600))
	ix = open(t, s.dir, Options{})
	defer ix.Close()
	if info, err := os.Stat(filepath.Join(s.dir, File)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want the head's", info.Mode(), err)
	}
}

// TestPrunedWhileAsked removes the oldest segment in the middle of a question,
// and asks another, which needs a connection of its own.
func TestPrunedWhileAsked(t *testing.T) {
	t.Parallel()
	for _, head := range []bool{true, false} {
		s := newShelf(t, "a")
		if head {
			s.must(os.WriteFile(filepath.Join(s.dir, ledger.HeadFile), nil, 0o600))
		}
		s.grow(rand.New(rand.NewPCG(9, 9)), 30)
		s.rotate()
		ix := open(t, s.dir, Options{})
		defer ix.Close()
		for hit, err := range ix.Query(t.Context(), Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if hit.Seq == s.seq {
				s.forget(1)
			}
			if n, err := ix.Count(t.Context(), Filter{}); n != 1 || err != nil {
				t.Fatalf("%d records, %v", n, err)
			}
		}
	}
}

// TestManyAtOnce has goroutines and processes catch up with a ledger that
// grows meanwhile.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	r := rand.New(rand.NewPCG(6, 6))
	for range 4 {
		s.grow(r, 600)
		s.rotate()
	}
	var wg sync.WaitGroup
	for range 2 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCountOnly$", "-test.v")
		cmd.Env = append(os.Environ(), "CHECKREIN_COUNT_DIR="+s.dir, "CHECKREIN_COUNT_WANT="+strconv.FormatUint(s.seq, 10))
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "counted") {
				t.Errorf("another process: %v\n%s", err, out)
			}
		})
	}
	least := s.seq
	for range 2 {
		wg.Go(func() { countOnly(t, s.dir, int(least)) })
	}
	for range 10 {
		s.grow(r, 20)
	}
	wg.Wait()
	ix := open(t, s.dir, Options{})
	defer ix.Close()
	s.check(t, ix, Filter{})
	s.check(t, ix, Filter{Event: []string{"stop"}})
}

// TestCountOnly is what the other processes run.
func TestCountOnly(t *testing.T) {
	dir := os.Getenv("CHECKREIN_COUNT_DIR")
	if dir == "" {
		t.Skip("for another test")
	}
	want, err := strconv.Atoi(os.Getenv("CHECKREIN_COUNT_WANT"))
	if err != nil {
		t.Fatal(err)
	}
	countOnly(t, dir, want)
	fmt.Println("counted")
}

func countOnly(t *testing.T, dir string, least int) {
	ix, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Error(err)
		return
	}
	defer ix.Close()
	for range 5 {
		n, err := ix.Count(t.Context(), Filter{})
		if err != nil || n < least {
			t.Errorf("%d records, %v; want %d or more", n, err, least)
			return
		}
		least = n
		if newest := ask(t, ix, Filter{Limit: 1}); newest[0].Seq < uint64(n) {
			t.Errorf("%d records, and the newest is %d", n, newest[0].Seq)
		}
	}
}
