package seal

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

const day = 24 * time.Hour

// saveDamaged saves a book after change has changed its files.
func saveDamaged(t *testing.T, b *book, change func(files map[string][]byte)) *shelf {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	files := b.all()
	for name, data := range files {
		files[name] = slices.Clone(data)
	}
	change(files)
	writeFiles(t, dir, files)
	return &shelf{book: b, t: t, dir: dir}
}

// damagedSegments returns the segments that the last record of a book lists as damaged.
func damagedSegments(t *testing.T, b *book) []int {
	t.Helper()
	line, err := ledger.ParseLine(lastLine(b.text))
	if err != nil || line.Kind != ledger.KindPruned {
		t.Fatalf("the last record is %q, %v", line.Raw, err)
	}
	p, ok := parsePruned(&line)
	if !ok || !p.isSignedBy(b.key.ID(), NewSigner(b.key).Public()) {
		t.Fatalf("not signed: %s", line.Raw)
	}
	var out []int
	for _, s := range p.segments {
		if s.Damaged {
			out = append(out, s.Segment)
		}
	}
	return out
}

// TestPruneAcceptsDamage removes segments that do not verify because a person accepts that, and the
// ledger verifies again.
func TestPruneAcceptsDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(files map[string][]byte)
		damaged []int
	}{
		"nothing":         {func(map[string][]byte) {}, nil},
		"edited":          {func(f map[string][]byte) { f["00000002.jsonl"][100] ^= 1 }, []int{2}},
		"start removed":   {func(f map[string][]byte) { delete(f, "00000001.jsonl") }, []int{1}},
		"middle removed":  {func(f map[string][]byte) { delete(f, "00000002.jsonl") }, []int{2}},
		"next removed":    {func(f map[string][]byte) { delete(f, "00000003.jsonl") }, []int{3}},
		"end cut":         {func(f map[string][]byte) { f["00000002.jsonl"] = f["00000002.jsonl"][:500] }, []int{2}},
		"last line":       {func(f map[string][]byte) { f["00000002.jsonl"][len(f["00000002.jsonl"])-10] ^= 1 }, []int{2}},
		"nothing to read": {func(f map[string][]byte) { f["00000002.jsonl"] = []byte("hello\n") }, []int{2}},
		"emptied":         {func(f map[string][]byte) { f["00000001.jsonl"] = nil }, []int{1}},
		"all emptied":     {func(f map[string][]byte) { f["00000001.jsonl"], f["00000002.jsonl"] = nil, nil }, []int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := saveDamaged(t, months(), c.change)
			o := PruneOptions{Keep: 70 * day, Now: s.now.Add(day)}
			now := time.Now().Add(-100 * day) // what cannot be read is as old as its file
			for _, name := range []string{"00000001.jsonl", "00000002.jsonl"} {
				_ = os.Chtimes(filepath.Join(s.dir, name), now, s.now.Add(-80*day))
			}
			_, err := Prune(context.Background(), s.dir, s, o)
			var refusal *Refusal
			if refused := errors.As(err, &refusal); refused != (c.damaged != nil) {
				t.Fatalf("without a word: %v", err)
			}
			if refusal != nil && !strings.Contains(err.Error(), "checkrein audit prune --accept-damage") {
				t.Errorf("the way out is not named: %v", err)
			}
			o.AcceptDamage = true
			if _, err := Prune(context.Background(), s.dir, s, o); err != nil {
				t.Fatal(err)
			}
			if got := numbersOf(t, s.dir); got != "[3 4 5]" && !(name == "next removed" && got == "[4 5]") {
				t.Errorf("left %s", got)
			}
			r := mustVerify(t, s.dir)
			if len(r.Notices) != len(c.damaged) {
				t.Errorf("notices %v", r.Notices)
			}
			if got := damagedSegments(t, s.book); !slices.Equal(got, c.damaged) {
				t.Errorf("damaged: %v, want %v", got, c.damaged)
			}
		})
	}
}

// TestPruneAcceptsMissingStart has a ledger whose beginning was moved away by hand, and nothing that
// is too old.
func TestPruneAcceptsMissingStart(t *testing.T) {
	t.Parallel()
	s := saveDamaged(t, months(), func(f map[string][]byte) {
		delete(f, "00000001.jsonl")
		delete(f, "00000002.jsonl")
	})
	o := PruneOptions{Keep: -1, KeepBytes: -1, Now: s.now}
	if gone, err := Prune(context.Background(), s.dir, s, o); err != nil || len(gone) > 0 {
		t.Errorf("%v, %v", gone, err)
	}
	o.AcceptDamage = true
	was := s.head.Seq
	for range 2 {
		if _, err := Prune(context.Background(), s.dir, s, o); err != nil {
			t.Fatal(err)
		}
	}
	if s.head.Seq != was+1 || !slices.Equal(damagedSegments(t, s.book), []int{2}) {
		t.Errorf("%d records about it", s.head.Seq-was)
	}
	mustVerify(t, s.dir)
	if got := numbersOf(t, s.dir); got != "[3 4 5]" {
		t.Errorf("left %s", got)
	}
	// Retention goes on.
	if _, err := Prune(context.Background(), s.dir, s, PruneOptions{Keep: 40 * day, Now: s.now.Add(day)}); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, s.dir)
	if got := numbersOf(t, s.dir); got != "[4 5]" {
		t.Errorf("left %s", got)
	}
}

// TestPruneAgain finds the signed record of the last Prune in a newer segment.
func TestPruneAgain(t *testing.T) {
	t.Parallel()
	b := months()
	s := &shelf{book: b, t: t, dir: b.save(t)}
	for _, c := range []struct {
		keep time.Duration
		want string
	}{{100 * day, "[2 3 4 5]"}, {70 * day, "[3 4 5]"}, {10 * day, "[5]"}} {
		if _, err := Prune(context.Background(), s.dir, s, PruneOptions{Keep: c.keep, Now: b.now.Add(day)}); err != nil {
			t.Fatal(err)
		}
		mustVerify(t, s.dir)
		if got := numbersOf(t, s.dir); got != c.want {
			t.Errorf("left %s, want %s", got, c.want)
		}
	}
}

// TestPruneReadsOnlyRemoved has damage in a segment that stays, which does not matter yet.
func TestPruneReadsOnlyRemoved(t *testing.T) {
	t.Parallel()
	s := saveDamaged(t, months(), func(f map[string][]byte) { f["00000003.jsonl"][400] ^= 1 })
	if _, err := Prune(context.Background(), s.dir, s, PruneOptions{Keep: 70 * day, Now: s.now.Add(day)}); err != nil {
		t.Fatal(err)
	}
	if got := numbersOf(t, s.dir); got != "[3 4 5]" {
		t.Errorf("left %s", got)
	}
}

// TestPruneRemembersRefusal does not read unchanged segments again.
func TestPruneRemembersRefusal(t *testing.T) {
	t.Parallel()
	b := months()
	s := saveDamaged(t, b, func(f map[string][]byte) { f["00000002.jsonl"][100] ^= 1 })
	path := filepath.Join(s.dir, "00000002.jsonl")
	refused := func(remember, before bool) {
		t.Helper()
		_, err := Prune(context.Background(), s.dir, s, PruneOptions{Keep: 70 * day, Now: b.now.Add(day), Remember: remember})
		var r *Refusal
		if !errors.As(err, &r) || r.Before != before || r.Kind != FindDamaged || r.Segment != 2 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	refused(true, false)
	refused(true, true)
	refused(false, false)
	// What was put right so that nobody sees it is not looked at.
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, s.dir, map[string][]byte{"00000002.jsonl": b.files["00000002.jsonl"]})
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	refused(true, true)
	// Another way to change things.
	writeFiles(t, s.dir, map[string][]byte{"00000002.jsonl": append(damaged, '\n')})
	refused(true, false)
	refused(true, true)
	// Settings that keep it do not care.
	if gone, err := Prune(context.Background(), s.dir, s, PruneOptions{Keep: 400 * day, Now: b.now, Remember: true}); err != nil || len(gone) > 0 {
		t.Errorf("%v, %v", gone, err)
	}
	writeFiles(t, s.dir, map[string][]byte{"00000002.jsonl": b.files["00000002.jsonl"]})
	if _, err := Prune(context.Background(), s.dir, s, PruneOptions{Keep: 70 * day, Now: b.now.Add(day), Remember: true}); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, s.dir)
	if _, err := os.Stat(filepath.Join(s.dir, refusedFile)); err == nil {
		t.Error("the refusal is still remembered")
	}
}

// TestPruneReadsAgainAfterRepair restores what was missing.
func TestPruneReadsAgainAfterRepair(t *testing.T) {
	t.Parallel()
	b := months()
	s := saveDamaged(t, b, func(f map[string][]byte) { delete(f, "00000002.jsonl") })
	o := PruneOptions{Keep: 40 * day, Now: b.now.Add(day), Remember: true}
	var r *Refusal
	for range 2 {
		if _, err := Prune(context.Background(), s.dir, s, o); !errors.As(err, &r) {
			t.Fatal(err)
		}
	}
	if !r.Before {
		t.Error("the refusal was not remembered")
	}
	writeFiles(t, s.dir, map[string][]byte{"00000002.jsonl": b.files["00000002.jsonl"]})
	if _, err := Prune(context.Background(), s.dir, s, o); err != nil {
		t.Error(err)
	}
}

// TestPruneSparesDamage keeps damaged segments that are too young, even if a person accepts damage.
func TestPruneSparesDamage(t *testing.T) {
	t.Parallel()
	s := saveDamaged(t, months(), func(f map[string][]byte) { f["00000003.jsonl"] = []byte("hello\n") })
	young := s.now
	if err := os.Chtimes(filepath.Join(s.dir, "00000003.jsonl"), young, young); err != nil {
		t.Fatal(err)
	}
	if _, err := Prune(context.Background(), s.dir, s, PruneOptions{Keep: 70 * day, Now: s.now.Add(day), AcceptDamage: true}); err != nil {
		t.Fatal(err)
	}
	if got := numbersOf(t, s.dir); got != "[3 4 5]" {
		t.Errorf("left %s", got)
	}
	r, err := Verify(context.Background(), s.dir, VerifyOptions{})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Kind != FindDamaged || r.Findings[0].Segment != 3 {
		t.Errorf("%v, %v", r.Findings, err)
	}
}

// TestDamagedSummary checks how a record lists a damaged segment.
func TestDamagedSummary(t *testing.T) {
	t.Parallel()
	in := SegmentSummary{Segment: 2, Last: 9, Hash: ledger.Hash{1}, Damaged: true}
	raw := in.appendJSON(nil)
	if !strings.HasSuffix(string(raw), `","damaged":true}`) {
		t.Errorf("%s", raw)
	}
	var out SegmentSummary
	if err := json.Unmarshal(raw, &out); err != nil || out != in {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestPruneDespiteGapsAndClock has lost records and a clock that was set back. Both happen without
// tampering, so pruning continues.
func TestPruneDespiteGapsAndClock(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	b.add(ledger.KindGap, `"why":"w"`)
	b.now = b.now.Add(-time.Hour)
	b.add(ledger.KindEvent, "")
	b.pass(100 * day)
	b.rotate()
	s := &shelf{book: b, t: t, dir: b.save(t)}
	if gone, err := Prune(context.Background(), s.dir, s, PruneOptions{Now: b.now}); err != nil || len(gone) != 1 || gone[0].Damaged {
		t.Errorf("%v, %v", gone, err)
	}
	mustVerify(t, s.dir)
}
