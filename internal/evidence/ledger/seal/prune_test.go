package seal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// liveLedger returns a ledger that a real writer writes, in small segments.
func liveLedger(t *testing.T) (*ledger.Ledger, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	l := ledger.Open(ledger.Options{Dir: state.NewDir(dir), Segment: 4000})
	if _, err := l.Append(ledger.KindEvent, nil, false); err != nil {
		t.Fatal(err)
	}
	return l, filepath.Join(dir, ledger.Folder)
}

// months returns a ledger with a segment for each of the last four months.
func months() *book {
	b := newBook("one")
	for range 4 {
		b.add(ledger.KindEvent, `"event":"e"`)
		b.pass(30 * 24 * time.Hour)
		b.rotate()
	}
	return b
}

// A shelf is a book that is saved in a directory.
type shelf struct {
	*book
	t   *testing.T
	dir string
	err error
}

func (s *shelf) Append(kind string, members []byte, sync bool) (ledger.Receipt, error) {
	if s.err != nil {
		return ledger.Receipt{}, s.err
	}
	if !sync {
		s.t.Error("the record may be lost, and the segments are gone")
	}
	r, err := s.book.Append(kind, members, sync)
	writeFiles(s.t, s.dir, map[string][]byte{ledger.CurrentFile: s.text, ledger.HeadFile: s.head.AppendSealed(nil, s.key)})
	return r, err
}

// numbersOf lists the segments in a directory.
func numbersOf(t *testing.T, dir string) string {
	t.Helper()
	segments, err := ledger.Segments(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, s := range segments {
		out = append(out, s.Number)
	}
	return fmt.Sprint(out)
}

func mustVerify(t *testing.T, dir string) *Report {
	t.Helper()
	r, err := Verify(context.Background(), dir, VerifyOptions{})
	if err != nil || !r.IsClean() {
		t.Fatalf("%v, %v", r, err)
	}
	return r
}

func TestPrune(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    PruneOptions
		want string
	}{
		"default":            {PruneOptions{}, "[3 4 5]"},
		"by age":             {PruneOptions{Keep: 100 * day}, "[2 3 4 5]"},
		"by size":            {PruneOptions{Keep: -1, KeepBytes: 1700}, "[3 4 5]"},
		"by either":          {PruneOptions{Keep: 100 * day, KeepBytes: 2300}, "[3 4 5]"},
		"all":                {PruneOptions{Keep: 1, KeepBytes: 1}, "[5]"},
		"none":               {PruneOptions{Keep: -1, KeepBytes: -1}, "[1 2 3 4 5]"},
		"nothing is so old":  {PruneOptions{Keep: 400 * day}, "[1 2 3 4 5]"},
		"nothing is so many": {PruneOptions{Keep: -1, KeepBytes: 1 << 20}, "[1 2 3 4 5]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := months()
			s := &shelf{book: b, t: t, dir: b.save(t)}
			was := b.head.Seq
			c.o.Now = b.now.Add(day)
			gone, err := Prune(context.Background(), s.dir, s, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := numbersOf(t, s.dir); got != c.want {
				t.Errorf("left %s, want %s", got, c.want)
			}
			r := mustVerify(t, s.dir)
			if first := r.Segments[0]; len(gone) > 0 && gone[len(gone)-1].Last+1 != first.First {
				t.Errorf("removed %+v, left %+v", gone, first)
			}
			if wrote := b.head.Seq > was; wrote != (len(gone) > 0) {
				t.Errorf("removed %d segments, wrote a record: %v", len(gone), wrote)
			}
			if c.o.KeepBytes > 0 && len(gone) > 0 {
				return // the record of it may be too much again
			}
			if again, err := Prune(context.Background(), s.dir, s, c.o); err != nil || len(again) > 0 {
				t.Errorf("again: %v, %v", again, err)
			}
		})
	}
}

func TestPrunedRecordFormatIsFixed(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	s := NewSigner(b.key)
	from := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	got := string(prunedMembers(s, []SegmentSummary{
		{Segment: 1, First: 1, Last: 500, Hash: ledger.Hash{1}, Bytes: 99, From: from, To: from.Add(time.Hour)},
		{Segment: 2, First: 501, Last: 502, Hash: ledger.Hash{2}, Bytes: 98, From: from, To: from},
	}))
	list := `[{"segment":1,"first":1,"last":500,"hash":"01` + strings.Repeat("0", 62) +
		`","bytes":99,"from":"2026-03-01T08:00:00.000000000Z","to":"2026-03-01T09:00:00.000000000Z"},` +
		`{"segment":2,"first":501,"last":502,"hash":"02` + strings.Repeat("0", 62) +
		`","bytes":98,"from":"2026-03-01T08:00:00.000000000Z","to":"2026-03-01T08:00:00.000000000Z"}]`
	text := "checkrein pruned 1\n" + b.key.ID() + "\n" + list
	want := `"segments":` + list + `,"key":"` + s.Public().ID() + `","sig":"` + s.sign([]byte(text)) + `"`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestPruneThatDied(t *testing.T) {
	t.Parallel()
	for spare := range 4 {
		b := months()
		b.prune(3, spare)
		dir := b.save(t)
		mustVerify(t, dir)
		s := &shelf{book: b, t: t, dir: dir}
		if _, err := Prune(context.Background(), dir, s, PruneOptions{Keep: 20 * 24 * time.Hour, Now: b.now}); err != nil {
			t.Fatal(err)
		}
		mustVerify(t, dir)
		if got := numbersOf(t, dir); got != "[4 5]" && got != "[5]" {
			t.Errorf("%d were left: now %s", spare, got)
		}
	}
}

func TestPruneThatCannotWrite(t *testing.T) {
	t.Parallel()
	b := months()
	s := &shelf{book: b, t: t, dir: b.save(t), err: errors.New("disk full")}
	if _, err := Prune(context.Background(), s.dir, s, PruneOptions{Now: b.now}); !errors.Is(err, s.err) {
		t.Errorf("%v", err)
	}
	if got := numbersOf(t, s.dir); got != "[1 2 3 4 5]" {
		t.Errorf("left %s", got)
	}
}

// TestPruneKeepsEvidence has damage that pruning would remove together with the evidence of it.
func TestPruneKeepsEvidence(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(files map[string][]byte){
		"edited":         func(f map[string][]byte) { f["00000002.jsonl"][100] ^= 1 },
		"start removed":  func(f map[string][]byte) { delete(f, "00000001.jsonl") },
		"middle removed": func(f map[string][]byte) { delete(f, "00000002.jsonl") },
		"next removed":   func(f map[string][]byte) { delete(f, "00000003.jsonl") },
		"end cut":        func(f map[string][]byte) { f["00000002.jsonl"] = f["00000002.jsonl"][:500] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := months()
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			files := b.all()
			change(files)
			writeFiles(t, dir, files)
			before := numbersOf(t, dir)
			s := &shelf{book: b, t: t, dir: dir}
			if gone, err := Prune(context.Background(), dir, s, PruneOptions{Keep: 70 * 24 * time.Hour, Now: b.now.Add(24 * time.Hour)}); err == nil || len(gone) > 0 {
				t.Errorf("removed %v, %v", gone, err)
			}
			if got := numbersOf(t, dir); got != before {
				t.Errorf("left %s of %s", got, before)
			}
		})
	}
}

// TestForgedPrune removes segments and forges the record of that, without the key.
func TestForgedPrune(t *testing.T) {
	t.Parallel()
	b := months()
	thief := *b
	thief.key = ledger.Key{1}
	b.prune(2, 0)
	good := b.all()
	if r := verify(t, good, VerifyOptions{}); !r.IsClean() {
		t.Fatal(r.Findings)
	}
	b = months()
	s := NewSigner(thief.key)
	s.id = b.key.ID()
	b.add(ledger.KindPruned, string(prunedMembers(s, []SegmentSummary{{Segment: 1, First: 1, Last: 2, Hash: b.ends[1].Hash}})))
	delete(b.files, "00000001.jsonl")
	r := verify(t, b.all(), VerifyOptions{})
	if len(r.Findings) != 2 || r.Findings[0].Kind != FindPruned || r.Findings[1].Kind != FindPruned {
		t.Errorf("%v", r.Findings)
	}
}
