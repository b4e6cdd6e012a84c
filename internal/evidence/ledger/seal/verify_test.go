package seal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// aBook returns a book with three segments, a torn record that was closed, and a checkpoint.
func aBook() *book {
	b := newBook("one")
	for range 3 {
		b.pass(time.Minute)
		b.add(ledger.KindEvent, `"event":"e"`)
	}
	b.tear(ledger.KindEvent, 40)
	b.rotate()
	b.add(ledger.KindEvent, `"event":"e"`)
	b.addCheckpoint()
	b.rotate()
	b.add(ledger.KindEvent, `"event":"e"`)
	return b
}

func TestReport(t *testing.T) {
	t.Parallel()
	b := aBook()
	files := b.all()
	r := verify(t, files, VerifyOptions{Ledger: b.key.ID()})
	if !r.IsClean() || len(r.Notices) > 0 {
		t.Fatalf("%v, %v", r.Findings, r.Notices)
	}
	if r.Ledger != b.key.ID() || r.Records != 9 || r.Torn != 1 || r.First.Seq != 1 || r.Last.Seq != 9 || r.Last.Hash != b.head.Hash {
		t.Errorf("%+v", r)
	}
	if r.Checkpoint == nil || r.Checkpoint.Seq != 7 || r.Checkpoint.By != "checkpoints.jsonl, line 1" {
		t.Errorf("checkpoint %+v", r.Checkpoint)
	}
	var got []string
	size := int64(0)
	for _, s := range r.Segments {
		got = append(got, fmt.Sprintf("%d:%d-%d", s.Segment, s.First, s.Last))
		size += s.Bytes
	}
	if want := "[1:1-5 2:6-7 3:8-9]"; fmt.Sprint(got) != want || size != r.Bytes {
		t.Errorf("segments %v, want %s; %d bytes of %d", got, want, size, r.Bytes)
	}
	if first := r.Segments[0]; !first.To.Equal(b.now) || !first.From.Before(first.To) || first.Bytes != int64(len(files["00000001.jsonl"])) {
		t.Errorf("%+v", first)
	}
	if len(r.CannotKnow) != 4 {
		t.Errorf("cannot know %q", r.CannotKnow)
	}
}

// TestFindings checks which findings each kind of damage causes, and how many.
func TestFindings(t *testing.T) {
	t.Parallel()
	edit := func(name, old, to string) func(*book, map[string][]byte) {
		return func(_ *book, files map[string][]byte) {
			changed := strings.Replace(string(files[name]), old, to, 1)
			if changed == string(files[name]) {
				panic("nothing to edit")
			}
			files[name] = []byte(changed)
		}
	}
	dropLine := func(name string, n int) func(*book, map[string][]byte) {
		return func(_ *book, files map[string][]byte) {
			lines := bytes.SplitAfter(files[name], []byte("\n"))
			files[name] = bytes.Join(slices.Delete(lines, n, n+1), nil)
		}
	}
	remove := func(name string) func(*book, map[string][]byte) {
		return func(_ *book, files map[string][]byte) { delete(files, name) }
	}
	for name, c := range map[string]struct {
		do   func(b *book, files map[string][]byte)
		want string
	}{
		"edited":            {edit("00000001.jsonl", `"event":"e"`, `"event":"f"`), "damaged: segment 1, offset 343: 314 bytes were damaged or changed; missing: record 2"},
		"line removed":      {dropLine("00000002.jsonl", 1), "chain: segment 3, offset 0: missing before record 8: record 7; checkpoint: checkpoints.jsonl, line 1 has seen record 7, but it is missing"},
		"torn part removed": {dropLine("00000001.jsonl", 4), "torn: segment 1, offset 1287: the record says that it closes an unfinished record, but what comes before it is something else"},
		"bytes put in":      {edit("00000002.jsonl", "\n", "\nmore\n"), "damaged: segment 2, offset 345: 5 bytes do not match any record as written: they were damaged or changed"},
		"end cut": {func(_ *book, f map[string][]byte) {
			f["current.jsonl"] = bytes.TrimSuffix(f["current.jsonl"], []byte("\n"))
		}, "truncated: the head says that the ledger has 9 records, but it ends with record 8: the newest ones were removed"},
		"segment removed":    {remove("00000002.jsonl"), "segment: segment 3, offset 0: missing before it: segment 2; chain: segment 3, offset 0: missing before record 8: records 6 to 7; checkpoint: checkpoints.jsonl, line 1 has seen record 7, but it is missing"},
		"first removed":      {remove("00000001.jsonl"), "pruned: segment 2, offset 0: the ledger starts with segment 2 and record 6, but no signed record says that earlier ones were removed"},
		"current removed":    {remove("current.jsonl"), "truncated: the head says that the ledger has 9 records, but it ends with record 7: the newest ones were removed"},
		"head removed":       {remove("head"), "head: the head is missing"},
		"head emptied":       {func(_ *book, f map[string][]byte) { f["head"] = nil }, "head: the head is missing"},
		"head forged":        {edit("head", `"seq":9`, `"seq":8`), "head: the head is damaged or forged: its seal does not match"},
		"checkpoint edited":  {edit("checkpoints.jsonl", `"seq":7`, `"seq":6`), "checkpoint: checkpoints.jsonl, line 1 is not signed with the ledger's key"},
		"checkpoint damaged": {edit("checkpoints.jsonl", `{`, ``), "checkpoint: checkpoints.jsonl, line 1 is not a valid checkpoint: it was changed or damaged"},
		"key removed":        {remove("key"), "key: the key cannot be read, so neither the head nor the signatures can be checked; to verify a copy that has no key, pass the public key"},
		"key damaged": {func(_ *book, f map[string][]byte) { f["key"] = f["key"][:31] }, "key: the key is damaged: ledger key has 31 bytes instead of 32: " +
			"restore it from a backup, or move the whole ledger directory away to begin a new one"},
		"emptied": {func(_ *book, f map[string][]byte) { f["00000002.jsonl"] = nil }, "segment: segment 2, offset 0: segment 2 is empty; " +
			"chain: segment 3, offset 0: missing before record 8: records 6 to 7; checkpoint: checkpoints.jsonl, line 1 has seen record 7, but it is missing"},
		"nothing": {func(*book, map[string][]byte) {}, ""},
		"behind":  {func(b *book, f map[string][]byte) { f["head"] = b.ends[6].AppendSealed(nil, b.key) }, ""},
		"nothing but the key": {func(_ *book, f map[string][]byte) {
			for name := range f {
				if name != "key" {
					delete(f, name)
				}
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := aBook()
			files := b.all()
			c.do(b, files)
			var got []string
			for _, f := range verify(t, files, VerifyOptions{}).Findings {
				got = append(got, f.String())
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("found %s\nwant  %s", strings.Join(got, "; "), c.want)
			}
		})
	}
}

func TestGapIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		members, want string
		torn          bool
	}{
		"lost":     {`"why":"w","head_seq":5,"head_hash":"","boot_changed":false`, "(w): lost: records 3 to 5", false},
		"one lost": {`"why":"w","head_seq":3,"head_hash":"","boot_changed":false`, "(w): lost: record 3", true},
		"power":    {`"why":"w","head_seq":4,"head_hash":"","boot_changed":true`, "(w): lost: records 3 to 4; the machine restarted in between, so this may be a power loss", false},
		"unknown":  {`"why":"w","head_seq":0,"head_hash":"","boot_changed":false`, "(w): the number of lost records is unknown", false},
	} {
		b := newBook("one")
		b.add(ledger.KindEvent, "")
		if c.torn {
			b.tear(ledger.KindEvent, 10)
			b.closeTorn()
		}
		b.add(ledger.KindGap, c.members)
		b.add(ledger.KindEvent, "")
		r := verify(t, b.all(), VerifyOptions{})
		if len(r.Findings) != 1 || r.Findings[0].Kind != FindGap || !strings.HasSuffix(r.Findings[0].Text, c.want) {
			t.Errorf("%s: %v, want %s", name, r.Findings, c.want)
		}
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wall, mono time.Duration
		boot       string
		want       string
	}{
		"as it should":          {time.Second, time.Second, "b1", ""},
		"adjusted a little":     {-900 * time.Millisecond, time.Second, "b1", ""},
		"set back":              {-1100 * time.Millisecond, time.Second, "b1", "finding"},
		"set back meanwhile":    {time.Second, 4 * time.Second, "b1", "finding"},
		"slewed for a day":      {24*time.Hour - 80*time.Second, 24 * time.Hour, "b1", ""},
		"set back within a day": {24*time.Hour - 100*time.Second, 24 * time.Hour, "b1", "finding"},
		"set back, restart":     {-1100 * time.Millisecond, -time.Hour, "b2", "notice"},
		"set back, unknown":     {-1100 * time.Millisecond, time.Second, "", "finding"},
		"restart":               {time.Second, -time.Hour, "b2", ""},
		"unknown starts":        {time.Second, -time.Hour, "", ""},
		"other clock back":      {time.Second, -time.Nanosecond, "b1", "finding"},
		"forward":               {6 * time.Minute, time.Second, "b1", "notice"},
		"forward a little":      {5 * time.Minute, time.Second, "b1", ""},
	} {
		b := newBook("one")
		if c.boot == "" {
			b.boot = ""
		}
		b.pass(2 * time.Hour)
		b.add(ledger.KindEvent, "")
		b.now, b.mono, b.boot = b.now.Add(c.wall), b.mono+int64(c.mono), c.boot
		b.add(ledger.KindEvent, "")
		r := verify(t, b.all(), VerifyOptions{})
		got := ""
		for _, f := range r.Findings {
			got += "finding"
			if f.Kind != FindClock || f.Seq != 3 {
				t.Errorf("%s: %+v", name, f)
			}
		}
		got += strings.Repeat("notice", len(r.Notices))
		if got != c.want {
			t.Errorf("%s: %q, want %q: %v %v", name, got, c.want, r.Findings, r.Notices)
		}
	}
}

// TestTail checks what may follow the last record that the head names: what a writer that died or a
// power failure may leave is a notice, and everything else is a finding.
func TestTail(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	b.add(ledger.KindEvent, "")
	next := *b
	next.add(ledger.KindEvent, `"text":"hash"`)
	line := string(next.text[len(b.text):])
	far := next
	far.add(ledger.KindEvent, "")
	after := string(far.text[len(next.text):])
	torn := strings.Replace(line, `"event"`, `"torn"`, 1)
	for _, c := range []struct {
		name, tail string
		dead       bool
	}{
		{"one byte", line[:1], true},
		{"half", line[:100], true},
		{"all but the newline", line[:len(line)-1], true},
		{"closed by half", line[:100] + "\n" + torn[:50], true},
		{"closed by a newline", line[:100] + "\n", true},
		{"closed twice by half", line[:100] + "\n" + torn[:50] + "\n" + torn[:7], true},
		{"a whole record and more", line[:len(line)-1] + "x", true},
		{"closed by another kind", line[:100] + "\n" + line[:50], false},
		{"wrong number", after[:50], true},
		{"wrong predecessor", strings.Replace(line, `"prev":"`, `"prev":"0`, 1)[:200], true},
		{"nothing was written of it", strings.Repeat("\x00", 5000), true},
		{"a part was written of it", line[:100] + strings.Repeat("\x00", 500), true},
		{"nothing was written, closed by half", "\x00\x00\n" + torn[:50], true},
		{"no record", "hello", true},
		{"no record, whole line", "hello\n", true},
		{"two lines that are none", "hello\nworld\n", false},
	} {
		files := b.all()
		files[ledger.CurrentFile] = append(files[ledger.CurrentFile], c.tail...)
		r := verify(t, files, VerifyOptions{})
		if r.IsClean() != c.dead || len(r.Notices) != 1 && c.dead {
			t.Errorf("%s: findings %v, notices %v", c.name, r.Findings, r.Notices)
		}
		if r.Bytes != int64(len(files[ledger.CurrentFile])) {
			t.Errorf("%s: %d bytes of %d", c.name, r.Bytes, len(files[ledger.CurrentFile]))
		}
	}
	// The same behind a head that knows of more is no harmless tail.
	for _, tail := range []string{"hello", "\x00", strings.Repeat("\x00", len(line))} {
		files := b.all()
		files[ledger.CurrentFile] = append(files[ledger.CurrentFile], tail...)
		files[ledger.HeadFile] = next.head.AppendSealed(nil, b.key)
		if r := verify(t, files, VerifyOptions{}); len(r.Findings) != 2 || len(r.Notices) > 0 {
			t.Errorf("%q in the place of a record: findings %v, notices %v", tail, r.Findings, r.Notices)
		}
	}
}

// TestCopyWithoutKey verifies a copy as an auditor may get it.
func TestCopyWithoutKey(t *testing.T) {
	t.Parallel()
	b := aBook()
	public := NewSigner(b.key).Public()
	files := b.all()
	delete(files, ledger.KeyFile)
	r := verify(t, files, VerifyOptions{Public: &public})
	if !r.IsClean() || r.Ledger != b.key.ID() || r.Checkpoint == nil || !strings.Contains(strings.Join(r.CannotKnow, " "), "private key, which is not here") {
		t.Errorf("%+v", r)
	}
	// Without a head, a last line that was edited is not taken for a torn one.
	files[ledger.CurrentFile] = bytes.Replace(files[ledger.CurrentFile], []byte(`"event":"e"`), []byte(`"event":"f"`), 1)
	if r := verify(t, files, VerifyOptions{Public: &public}); r.IsClean() {
		t.Error("an edit was not found")
	}
	other := NewSigner(ledger.Key{1}).Public()
	if r := verify(t, b.all(), VerifyOptions{Public: &other, Ledger: "0123456789abcdef"}); len(r.Findings) < 2 {
		t.Errorf("another ledger: %v", r.Findings)
	}
	if _, err := Verify(context.Background(), t.TempDir(), VerifyOptions{}); err == nil {
		t.Error("an empty directory is a ledger")
	}
}

func TestManyFindingsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	for range 2500 {
		b.add(ledger.KindGap, `"why":"w"`)
	}
	if r := verify(t, b.all(), VerifyOptions{}); len(r.Findings) != maxListed || r.MoreFindings != 1500 {
		t.Errorf("%d findings and %d more", len(r.Findings), r.MoreFindings)
	}
}

// TestManyFindingsHideNoOthers has very many findings about the clock and one lost record.
func TestManyFindingsHideNoOthers(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	for range maxListed + 500 {
		b.now, b.mono = b.now.Add(-3*time.Second), b.mono+1
		b.add(ledger.KindEvent, "")
	}
	b.add(ledger.KindGap, `"why":"w"`)
	files := b.all()
	isGap := func(f Finding) bool { return f.Kind == FindGap }
	r := verify(t, files, VerifyOptions{})
	if r.IsClean() || len(r.Findings) != maxListed+1 || r.MoreFindings != 500 || !slices.ContainsFunc(r.Findings, isGap) {
		t.Errorf("%d findings and %d more", len(r.Findings), r.MoreFindings)
	}
	r = verify(t, files, VerifyOptions{AllowClock: true})
	if r.IsClean() || len(r.Findings) != 1 || !isGap(r.Findings[0]) || r.MoreFindings != 0 || len(r.Notices) != maxListed || r.MoreNotices != 500 {
		t.Errorf("forgiven: %d findings and %d more, %d notices and %d more", len(r.Findings), r.MoreFindings, len(r.Notices), r.MoreNotices)
	}
	if (&Report{MoreFindings: 1}).IsClean() {
		t.Error("a report with findings that are not listed is clean")
	}
}

// TestVerifyWhilePruned removes segments that are being read, and some that appeared after the
// segments were listed.
func TestVerifyWhilePruned(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	fill := func() {
		for range 3 {
			b.add(ledger.KindEvent, `"pad":"`+strings.Repeat("x", 600<<10)+`"`)
		}
	}
	b.rotate()
	fill()
	dir, calls := b.save(t), 0
	put := func() {
		for name := range b.all() { // what was pruned
			_ = os.Remove(filepath.Join(dir, name))
		}
		_ = os.Remove(filepath.Join(dir, ledger.SegmentFile(1)))
		_ = os.Remove(filepath.Join(dir, ledger.SegmentFile(2)))
		writeFiles(t, dir, b.all())
	}
	r, err := Verify(context.Background(), dir, VerifyOptions{Progress: func(int64, int64) {
		switch calls++; calls {
		case 1: // the reader is in segment 1, the list ends with segment 2
			b.rotate()
			put()
		case 2: // the reader is in segment 2
			b.rotate()
			b.rotate()
			b.prune(4, 0)
			put()
		}
	}})
	if err != nil || !r.IsClean() || r.First.Seq != b.firstSeq() {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestVerifyWhileWriting verifies the ledger while others write, take checkpoints and prune. Nothing
// is ever found.
func TestVerifyWhileWriting(t *testing.T) {
	t.Parallel()
	l, dir := liveLedger(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 400 {
			if _, err := l.Append(ledger.KindEvent, fmt.Appendf(nil, `"n":%d`, i), false); err != nil {
				t.Error(err)
			}
			if i%50 == 49 {
				if _, _, err := TakeCheckpoint(dir, time.Now()); err != nil {
					t.Error(err)
				}
				if _, err := Prune(context.Background(), dir, l, PruneOptions{KeepBytes: 20_000}); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
		}
		r, err := Verify(context.Background(), dir, VerifyOptions{})
		if err != nil && !errors.Is(err, errVanished) { // so much pruning is unusual
			t.Error(err)
		}
		if err == nil && !r.IsClean() {
			t.Error(r.Findings)
		}
	}
	mustVerify(t, dir)
	if segments, err := ledger.Segments(dir); err != nil || len(segments) < 3 || segments[0].Number == 1 {
		t.Errorf("%v, %v", segments, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".checkrein-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
