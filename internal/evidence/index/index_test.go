package index

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// TestDamagedIndexIsRebuilt damages the files in many ways. What a person, a power failure or another
// version causes is repaired silently; everything else is reported.
func TestDamagedIndexIsRebuilt(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	s.grow(rand.New(rand.NewPCG(1, 1)), 60)
	s.rotate()
	s.must(open(t, s.dir, Options{}).Close())
	sound := s.files()
	one := sound[1]
	front := len(format) + 4
	parts := int(s.sheet(1).at[0])
	over := func(at int, with string) func() {
		return func() {
			data := append([]byte{}, one...)
			copy(data[at:], with)
			s.put(1, data)
		}
	}
	is := func(data []byte) func() { return func() { s.put(1, data) } }
	noise := strings.Repeat("noise", 100)
	for _, tt := range []struct {
		name  string
		quiet bool
		spoil func()
	}{
		{"none", true, func() { s.must(os.RemoveAll(filepath.Join(s.dir, Folder))) }},
		{"one missing", true, is(nil)},
		{"empty", true, is([]byte{})},
		{"older", true, over(0, formatName+"4")},
		{"newer", true, over(0, formatName+"9")},
		{"cut in the front", false, is(one[:front+20])},
		{"cut", false, is(one[:len(one)-1])},
		{"cut to its parts", false, is(one[:parts])},
		{"longer", false, is(append(append([]byte{}, one...), 0))},
		{"no index", false, is([]byte("hello, this is a text"))},
		{"no front", false, over(0, strings.Repeat("\x00", 100))},
		{"a long front", false, over(len(format), "\xff\xff")},
		{"another front", false, over(front+40, "x")},
		{"other parts", false, over(parts, noise)},
		{"the last part", false, over(len(one)-1, string(one[len(one)-1]^1))},
		{"another's segment", false, is(sound[2])},
	} {
		s.must(open(t, s.dir, Options{}).Close())
		tt.spoil()
		t.Run(tt.name, func(t *testing.T) {
			told := 0
			ix := open(t, s.dir, Options{Renewed: func(error) { told++ }})
			defer ix.Close()
			s.checkQuery(t, ix, Filter{})
			s.checkQuery(t, ix, Filter{Host: []string{"codex"}, Hook: []string{"guard*"}})
			for _, r := range s.all {
				if hits, err := ix.ByHash(t.Context(), r.hash.String()); len(hits) != 1 || err != nil {
					t.Errorf("ByHash = %v, %v", hits, err)
				}
			}
			if told > 1 || (told == 0) != tt.quiet {
				t.Errorf("it was told %d times", told)
			}
		})
	}
}

// TestDamageInTheMiddle damages the index after a query has returned some results. The rest comes from
// the rebuilt index, each result once.
func TestDamageInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, oldest := range []bool{false, true} {
		s := newShelf(t, "a")
		r := rand.New(rand.NewPCG(2, 2))
		for range 4 {
			s.grow(r, 50)
			s.rotate()
		}
		told := 0
		ix := open(t, s.dir, Options{Renewed: func(error) { told++ }})
		defer ix.Close()
		data := s.files()[3]
		at, _ := s.sheet(3).partRange(partPlaces, 0)
		data[at]++
		s.put(3, data)
		s.checkQuery(t, ix, Filter{Oldest: oldest})
		s.checkQuery(t, ix, Filter{Oldest: oldest, Limit: 170})
		if told != 1 {
			t.Errorf("it was told %d times", told)
		}
	}
}

// TestRemovedWhileOpen removes the index while it is open, as a user may at any time.
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
			s.must(Remove(s.dir))
		}
		checkFoundByTime(t, ix, hit)
	}
	s.checkQuery(t, ix, Filter{})
	s.must(ix.Close())
	ix = open(t, s.dir, Options{})
	s.checkQuery(t, ix, Filter{Event: []string{"stop"}})
}

// TestConcurrentOlderIndex has another process put back older files, during queries and between them.
func TestConcurrentOlderIndex(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	r := rand.New(rand.NewPCG(8, 8))
	s.grow(r, 30)
	s.rotate()
	s.grow(r, 30)
	ix := open(t, s.dir, Options{Renewed: func(why error) { t.Errorf("it was thrown away: %v", why) }})
	defer ix.Close()
	less := s.files()
	s.grow(r, 30)
	s.checkQuery(t, ix, Filter{Host: []string{"codex"}})
	for _, oldest := range []bool{false, true} {
		var got []Hit
		for hit, err := range ix.Query(t.Context(), Filter{Oldest: oldest}) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, hit); len(got)%10 == 1 {
				for n, data := range less {
					s.put(n, data)
				}
			}
		}
		if want := s.expectedHits(Filter{Oldest: oldest}); !slices.Equal(got, want) {
			t.Errorf("%d records, want %d", len(got), len(want))
		}
	}
	s.put(2, less[2])
	s.checkQuery(t, ix, Filter{Host: []string{"codex"}})
}

// TestOldDatabase checks that files of earlier versions are removed silently, and others are not.
func TestOldDatabase(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	s.grow(rand.New(rand.NewPCG(8, 8)), 30)
	for _, name := range oldFiles {
		s.must(os.WriteFile(filepath.Join(s.dir, name), []byte("SQLite format 3\x00"), 0o600))
	}
	s.must(os.Mkdir(filepath.Join(s.dir, Folder), 0o700))
	others := []string{filepath.Join(s.dir, "index.db.copy"), filepath.Join(s.dir, Folder, "thesis"), filepath.Join(s.dir, Folder, "1.idx")}
	for _, name := range others {
		s.must(os.WriteFile(name, []byte("theirs"), 0o600))
	}
	ix := open(t, s.dir, Options{Renewed: func(why error) { t.Errorf("it was thrown away: %v", why) }})
	s.checkQuery(t, ix, Filter{})
	s.must(ix.Close())
	for _, name := range oldFiles {
		if _, err := os.Lstat(filepath.Join(s.dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.put(1, []byte("spoiled"))
	s.must(open(t, s.dir, Options{}).Close())
	s.must(Remove(s.dir))
	for _, name := range others {
		if data, err := os.ReadFile(name); string(data) != "theirs" || err != nil {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// TestUnwritable checks that the index is stored in a temporary directory while it is open.
func TestUnwritable(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, tt := range []struct {
		name string
		bar  func(t *testing.T, s *shelf)
	}{
		{"a file in its place", func(t *testing.T, s *shelf) { s.must(os.WriteFile(filepath.Join(s.dir, Folder), nil, 0o600)) }},
		{"a link in its place", func(t *testing.T, s *shelf) { s.must(os.Symlink(t.TempDir(), filepath.Join(s.dir, Folder))) }},
		{"a directory in a file's place", func(t *testing.T, s *shelf) { s.must(os.MkdirAll(filepath.Join(s.path(1), "sub"), 0o700)) }},
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
			s.must(os.Chmod(filepath.Join(s.dir, Folder), 0o500))
			s.must(os.Chmod(s.dir, 0o500))
			t.Cleanup(func() { os.Chmod(s.dir, 0o700); os.Chmod(filepath.Join(s.dir, Folder), 0o700) })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf(t, "a")
			s.grow(rand.New(rand.NewPCG(3, 3)), 40)
			tt.bar(t, s)
			ix := open(t, s.dir, Options{})
			s.checkQuery(t, ix, Filter{})
			s.grow(rand.New(rand.NewPCG(5, 5)), 40)
			s.checkQuery(t, ix, Filter{Host: []string{"codex"}})
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
	if info, err := os.Stat(s.path(1)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want the head's", info.Mode(), err)
	}
}

// TestPrunedDuringQuery removes the oldest segment during a query, and makes another query, which
// drops it.
func TestPrunedDuringQuery(t *testing.T) {
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

// TestConcurrentCatchUp has goroutines and processes update the index while the ledger grows.
func TestConcurrentCatchUp(t *testing.T) {
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
	s.checkQuery(t, ix, Filter{})
	s.checkQuery(t, ix, Filter{Event: []string{"stop"}})
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
		if newest := queryAll(t, ix, Filter{Limit: 1}); newest[0].Seq < uint64(n) {
			t.Errorf("%d records, and the newest is %d", n, newest[0].Seq)
		}
	}
}
