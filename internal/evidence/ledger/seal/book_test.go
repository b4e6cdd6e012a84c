package seal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A book is a ledger in memory, written as writers do.
type book struct {
	key   ledger.Key
	seals *ledger.Seals     // nil = as builds wrote that knew none
	files map[string][]byte // full segments
	now   time.Time
	mono  int64
	boot  string

	head   ledger.Head
	text   []byte // of the current segment
	whole  int    // where its last record ends; what follows is torn
	ends   []ledger.Head
	oldest int // segment that is there
	named  int // newest segment that a pruned record names
}

func newBook(name string) *book {
	b := &book{
		key: sha256.Sum256([]byte(name)), files: map[string][]byte{}, boot: "b1", oldest: 1,
		now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), mono: 1e9,
	}
	b.head.Ledger = b.key.ID()
	b.seals = b.key.Seals()
	b.begin(1)
	return b
}

// pass advances both clocks by d.
func (b *book) pass(d time.Duration) { b.now, b.mono = b.now.Add(d), b.mono+int64(d) }

func (b *book) begin(number int) {
	b.text, b.whole = nil, 0
	b.head.Segment, b.head.Began = number, b.now
	b.add(ledger.KindSegment, fmt.Sprintf(`"ledger":"%s","segment":%d`, b.key.ID(), number))
}

// add appends a record.
func (b *book) add(kind, members string) {
	s := ledger.Stamp{Seq: b.head.Seq + 1, Kind: kind, Time: b.now, Boot: b.boot, Mono: b.mono, Prev: b.head.Hash}
	b.text, b.head.Hash = ledger.AppendLine(b.text, &s, []byte(members), b.seals)
	b.head.Seq, b.head.Size, b.head.Boot = s.Seq, int64(len(b.text)), b.boot
	b.whole = len(b.text)
	b.ends = append(b.ends, b.head)
}

// Append makes book an Appender.
func (b *book) Append(kind string, members []byte, _ bool) (ledger.Receipt, error) {
	b.closeTorn()
	b.add(kind, string(members))
	return ledger.Receipt{Seq: b.head.Seq, Hash: b.head.Hash}, nil
}

// tear leaves the first n bytes of a record, or all of it except the newline. A torn record closes an
// earlier one.
func (b *book) tear(kind string, n int) {
	s := ledger.Stamp{Seq: b.head.Seq + 1, Kind: kind, Time: b.now, Boot: b.boot, Mono: b.mono, Prev: b.head.Hash}
	members := []byte(`"half":true`)
	if kind == ledger.KindTorn {
		b.survey()
		members = b.tornMembers()
		b.text = append(b.text, '\n')
	}
	line, _ := ledger.AppendLine(nil, &s, members, b.seals)
	b.text = append(b.text, line[:min(n, len(line)-1)]...)
}

func (b *book) tornMembers() []byte {
	torn := b.text[b.whole:]
	return fmt.Appendf(nil, `"bytes":%d,"digest":"%x"`, len(torn), sha256.Sum256(torn))
}

// closeTorn closes an unfinished record, as a writer does first.
func (b *book) closeTorn() {
	b.survey()
	if len(b.text) == b.whole {
		return
	}
	members := b.tornMembers()
	b.text = append(b.text, '\n')
	b.add(ledger.KindTorn, string(members))
}

// survey finds the last complete record. A record that lacked its newline may have got it from a
// writer that died while closing it.
func (b *book) survey() {
	for at := b.whole; ; {
		n := bytes.IndexByte(b.text[at:], '\n')
		if n < 0 {
			return
		}
		line, err := ledger.ParseLine(b.text[at : at+n])
		at += n + 1
		if err == nil {
			b.head.Seq, b.head.Hash, b.head.Size, b.whole = line.Seq, line.Hash, int64(at), at
			b.ends = append(b.ends, b.head)
		}
	}
}

func (b *book) rotate() {
	b.closeTorn()
	b.files[ledger.SegmentFile(b.head.Segment)] = b.text
	b.begin(b.head.Segment + 1)
}

// prune records that the oldest n segments are removed, and removes all but spare of them.
func (b *book) prune(n, spare int) {
	b.closeTorn()
	var going []SegmentSummary
	for number := b.oldest; number < b.oldest+n; number++ {
		s := SegmentSummary{Segment: number, Bytes: int64(len(b.files[ledger.SegmentFile(number)]))}
		for _, e := range b.ends {
			if e.Segment == number {
				if s.First == 0 {
					s.First = e.Seq
				}
				s.Last, s.Hash, s.From, s.To = e.Seq, e.Hash, b.now, b.now
			}
		}
		going = append(going, s)
	}
	b.add(ledger.KindPruned, string(prunedMembers(NewSigner(b.key), going)))
	b.named = max(b.named, b.oldest+n-1)
	for range n - spare {
		delete(b.files, ledger.SegmentFile(b.oldest))
		b.oldest++
	}
}

// checkpoint returns a signed checkpoint of where the book ends.
func (b *book) checkpoint() *Checkpoint {
	s := NewSigner(b.key)
	c := &Checkpoint{Ledger: s.id, Segment: b.head.Segment, Seq: b.head.Seq, Hash: b.head.Hash, Time: b.now, Key: s.Public().ID()}
	c.Sig = s.sign(c.signedText())
	return c
}

// addCheckpoint adds a checkpoint to the ledger's own and returns it.
func (b *book) addCheckpoint() *Checkpoint {
	c := b.checkpoint()
	b.files[CheckpointsFile] = append(bytes.Clone(b.files[CheckpointsFile]), c.Line()...)
	return c
}

// all returns the files of the ledger.
func (b *book) all() map[string][]byte {
	files := maps.Clone(b.files)
	files[ledger.CurrentFile] = bytes.Clone(b.text)
	files[ledger.KeyFile] = b.key[:]
	files[ledger.HeadFile] = b.head.AppendSealed(nil, b.key)
	return files
}

type fataler interface {
	Helper()
	Fatal(...any)
}

// writeFiles writes files into dir.
func writeFiles(t fataler, dir string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// verify writes files to a new directory and verifies them.
func verify(t fataler, files map[string][]byte, o VerifyOptions) *Report {
	t.Helper()
	dir, err := os.MkdirTemp("", "seal")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	writeFiles(t, dir, files)
	report, err := Verify(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// save writes the book to a new directory, which it returns.
func (b *book) save(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, b.all())
	return dir
}
