package index

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// TestCatchUp queries an index while its ledger changes.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	for life := range 2 {
		s := newShelf(t, "a")
		r := rand.New(rand.NewPCG(uint64(life), 0))
		ix := open(t, s.dir, Options{})
		pruned := 0
		for step := range 20 {
			switch r.IntN(8) {
			case 0, 1:
				s.grow(r, 1+r.IntN(5))
			case 2, 3, 4:
				s.grow(r, 1+r.IntN(chunkSize/3))
			case 5:
				s.rotate()
				if r.IntN(2) == 0 {
					pruned++
					s.forget(pruned)
				}
			case 6:
				s.tear()
			case 7:
				s.must(ix.Close())
				ix = open(t, s.dir, Options{})
			}
			s.checkQuery(t, ix, filters(s).Example(100*life+step))
		}
		s.checkQuery(t, ix, Filter{})
		s.must(ix.Close())
	}
}

// TestTornLineIsFinished updates the index while a line is only partly written.
func TestTornLineIsFinished(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	s.grow(rand.New(rand.NewPCG(1, 1)), 10)
	ix := open(t, s.dir, Options{})
	defer ix.Close()
	whole, _ := ledger.AppendLine(nil, &ledger.Stamp{Seq: s.seq + 1, Kind: ledger.KindEvent, Time: s.clock, Prev: s.prev}, []byte(`"host":"late"`), nil)
	at := s.size
	for cut := range 3 {
		s.write(whole[cut*len(whole)/3 : (cut+1)*len(whole)/3])
		s.flush()
		hits := queryAll(t, ix, Filter{Host: []string{"late"}})
		if want := cut / 2; len(hits) != want {
			t.Fatalf("after %d thirds: %d hits, want %d", cut+1, len(hits), want)
		}
		if len(hits) > 0 && hits[0].Offset != at {
			t.Errorf("it is said to stand at %d, want %d", hits[0].Offset, at)
		}
	}
}

// TestPrunedTermsAreRemoved checks that an index does not grow forever.
func TestPrunedTermsAreRemoved(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	s.record(ledger.KindEvent, event{Session: "old", Host: "h"})
	s.rotate()
	s.record(ledger.KindEvent, event{Session: "new", Host: "h"})
	s.flush()
	ix := open(t, s.dir, Options{})
	defer ix.Close()
	s.forget(1)
	s.checkQuery(t, ix, Filter{})
	s.checkQuery(t, ix, Filter{Session: []string{"old"}})
	if files := s.files(); len(files) != 1 || bytes.Contains(files[2], []byte("old")) || !bytes.Contains(files[2], []byte("new")) {
		t.Errorf("%d files, of which one says %q", len(files), files[2])
	}
}

// TestDamagedLinesAreCounted has lines that are not records in the middle of a segment, at the end of
// a chunk and after the last record.
func TestDamagedLinesAreCounted(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	r := rand.New(rand.NewPCG(1, 1))
	var ix *Index
	is := func(want int) {
		t.Helper()
		s.flush()
		if ix == nil {
			ix = open(t, s.dir, Options{})
			t.Cleanup(func() { ix.Close() })
		}
		for range 2 {
			if n, err := ix.CountDamagedLines(t.Context()); n != want || err != nil {
				t.Fatalf("%d damaged lines, %v; want %d", n, err, want)
			}
		}
		s.checkQuery(t, ix, Filter{Host: []string{"claude"}})
	}
	bad := func(n int) {
		for range n {
			s.write([]byte("hello\n"))
		}
	}
	bad(1)
	s.grow(r, chunkSize-1)
	bad(2)
	is(3)
	bad(1)
	is(4)
	s.grow(r, chunkSize+1)
	is(4)
	bad(1)
	s.rotate()
	is(5)
	bad(3)
	is(8)
	at := s.size - int64(3*len("hello\n"))
	s.must(s.file.Truncate(at))
	_, err := s.file.Seek(at, 0)
	s.must(err)
	s.size = at
	is(5)
	bad(2)
	is(7)
	s.must(ix.Close())
	ix = nil
	is(7)
	s.must(ix.Close())
	s.must(Remove(s.dir))
	ix = nil
	is(7)
	s.forget(1)
	is(2)
}

// TestTruncatedSegmentIsReindexed changes segments so that they must be indexed again.
func TestTruncatedSegmentIsReindexed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for name, longer := range map[string]bool{"and is shorter": false, "and grew again": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, "a")
			s.grow(r, 10)
			kept, size, seq, prev := len(s.all), s.size, s.seq, s.prev
			s.grow(r, 5)
			ix := open(t, s.dir, Options{})
			defer ix.Close()
			s.must(s.file.Truncate(size))
			_, err := s.file.Seek(0, 2)
			s.must(err)
			s.all, s.size, s.seq, s.prev = s.all[:kept], size, seq, prev
			if longer {
				s.grow(r, 50)
			}
			s.checkQuery(t, ix, Filter{})
			s.checkQuery(t, ix, Filter{Host: []string{"claude"}})
		})
	}
}

// TestOtherLedger has two ledgers with the same key whose files look alike.
func TestOtherLedger(t *testing.T) {
	t.Parallel()
	var both []*shelf
	for _, id := range []string{"a", "b"} {
		s := newShelf(t, id)
		s.record(ledger.KindEvent, event{Host: "host " + id})
		s.rotate()
		s.must(open(t, s.dir, Options{}).Close())
		both = append(both, s)
	}
	for n, data := range both[0].files() {
		both[1].put(n, data)
	}
	both[1].put(7, both[0].files()[1])
	for _, s := range both {
		if found, err := Check(t.Context(), s.dir, CheckOptions{}); err != nil || s == both[0] && len(found) > 0 {
			t.Errorf("%v, %v", found, err)
		}
		ix := open(t, s.dir, Options{})
		s.checkQuery(t, ix, Filter{})
		s.checkQuery(t, ix, Filter{Host: []string{"host a"}})
		s.checkQuery(t, ix, Filter{Host: []string{"host b"}})
		if hits, err := ix.ByHash(t.Context(), s.prev.String()); len(hits) != 1 || err != nil {
			t.Errorf("ByHash = %v, %v", hits, err)
		}
		s.must(ix.Close())
		if files := s.files(); len(files) != 2 {
			t.Errorf("%d files, want 2", len(files))
		}
	}
}

// TestStalePlan executes a plan that another process has already executed.
func TestStalePlan(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	one, other := open(t, s.dir, Options{}), open(t, s.dir, Options{})
	defer one.Close()
	defer other.Close()
	s.grow(rand.New(rand.NewPCG(5, 5)), 10)
	p, err := one.newPlan(t.Context())
	s.must(err)
	if len(p.jobs) != 1 {
		t.Fatalf("there are %d jobs, want 1", len(p.jobs))
	}
	s.must(other.CatchUp(t.Context()))
	if err := one.executePlan(t.Context(), p); !errors.Is(err, errChanged) {
		t.Errorf("carryOut = %v, want %v", err, errChanged)
	}
	s.checkQuery(t, one, Filter{})
}

// TestCancel cancels a build after each of its steps, and continues it.
func TestCancel(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	r := rand.New(rand.NewPCG(4, 4))
	for range 12 {
		s.grow(r, 20)
		s.rotate()
	}
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	ix, err := Open(ctx, s.dir, Options{Progress: func(done, total int64) {
		if steps++; steps == 1 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Open = %v, %v; want it canceled", ix, err)
	}
	var first, last [2]int64
	ix = open(t, s.dir, Options{Progress: func(done, total int64) {
		if last = [2]int64{done, total}; first[1] == 0 {
			first = last
		}
	}})
	defer ix.Close()
	var all int64
	segments, err := ledger.Segments(s.dir)
	s.must(err)
	for _, seg := range segments {
		all += seg.Size
	}
	if first[1] >= all || last[0] != last[1] {
		t.Errorf("it went on from %v to %v of %d bytes in all: not after the first segment, or not to the end", first, last, all)
	}
	s.checkQuery(t, ix, Filter{})
	s.checkQuery(t, ix, Filter{Tool: []string{"mcp__*"}})

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	for _, err := range ix.Query(ctx, Filter{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled question: %v", err)
		}
	}
	s.checkQuery(t, ix, Filter{Limit: 1})
}

// TestBitmap checks both encodings of a set.
func TestBitmap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var a, b, both bitmap
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, chunkSize-1), 0, 600).Draw(t, "a") {
			a.add(i)
			both.add(i)
		}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, chunkSize-1), 0, 600).Draw(t, "b") {
			b.add(i)
			both.add(i)
		}
		text := a.appendEncoded(nil)
		if len(text) > bitmapLen {
			t.Fatalf("%d bytes", len(text))
		}
		got := b
		if err := got.addEncoded(text); err != nil || got != both || got.count() != len(got.appendPositions(nil)) {
			t.Fatalf("union of %d and %d has %d, %v; want %d", a.count(), b.count(), got.count(), err, both.count())
		}
		n := rapid.IntRange(0, chunkSize).Draw(t, "n")
		if got.fillFirst(n); got.count() != n || n > 0 && got.appendPositions(nil)[n-1] != n-1 {
			t.Fatalf("fill(%d) has %d", n, got.count())
		}
	})
	for _, text := range [][]byte{{1}, {0xff, 0xff}, bytes.Repeat([]byte{0}, bitmapLen+2)} {
		if err := new(bitmap).addEncoded(text); !errors.Is(err, errDamaged) {
			t.Errorf("unite(%.10x) = %v", text, err)
		}
	}
}
