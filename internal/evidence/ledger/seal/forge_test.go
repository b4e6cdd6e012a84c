package seal

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/lab/norace"
	"pgregory.net/rapid"
)

// A forger has everything except the key. It computes hashes, and seals with another key.
type forger struct {
	seals *ledger.Seals // of a key of its own; nil = it leaves them out
	copy  bool          // it takes those of the records that it changes
}

func drawForger(t *rapid.T) forger {
	other := ledger.Key{7}
	return rapid.SampledFrom([]forger{{}, {seals: other.Seals()}, {copy: true}}).Draw(t, "forger")
}

// line returns a forged record that resembles like.
func (f forger) line(like *ledger.Line, stamp ledger.Stamp, members []byte) ([]byte, ledger.Hash) {
	if f.copy && like.Sealed {
		raw := string(like.Raw)
		at := strings.LastIndex(raw, `,"seal":"`)
		if len(members) > 0 {
			members = append(bytes.Clone(members), ',')
		}
		members = append(members, raw[at+1:at+1+len(`"seal":""`)+32]...)
	}
	return ledger.AppendLine(nil, &stamp, members, f.seals)
}

// append forges records after the last one.
func (f forger) append(t *rapid.T, b *book, files map[string][]byte) bool {
	text := files[ledger.CurrentFile][:b.whole]
	last, err := ledger.ParseLine(bytes.Clone(lastLine(text)))
	if err != nil {
		panic(err)
	}
	like, stamp := last, last.Stamp
	hash := last.Hash
	n, kind := 2, ledger.KindEvent
	if t != nil {
		n = rapid.IntRange(1, 4).Draw(t, "records")
		kind = rapid.SampledFrom([]string{ledger.KindEvent, ledger.KindPerson}).Draw(t, "kind")
	}
	for range n {
		stamp.Seq, stamp.Prev, stamp.Kind, stamp.Mono = stamp.Seq+1, hash, kind, stamp.Mono+1
		var line []byte
		line, hash = f.line(&like, stamp, []byte(`"decision":"allow"`))
		text = append(text, line...)
	}
	files[ledger.CurrentFile] = text
	return true
}

// change edits, drops or inserts a record, and adjusts the hashes of all or some of those after it.
func (f forger) change(t *rapid.T, b *book, files map[string][]byte) bool {
	target := uint64(rapid.IntRange(int(b.firstSeq()), int(b.head.Seq)).Draw(t, "record"))
	what := rapid.SampledFrom([]string{"edit", "drop", "put in"}).Draw(t, "what")
	upTo := b.head.Seq
	if rapid.Bool().Draw(t, "some") {
		upTo = uint64(rapid.IntRange(int(target), int(b.head.Seq)).Draw(t, "up to"))
	}
	var prev ledger.Hash
	var seq uint64
	changed := false
	for number := b.oldest; number <= b.head.Segment; number++ {
		name := ledger.SegmentFile(number)
		if number == b.head.Segment {
			name = ledger.CurrentFile
		}
		cut, put := splitLines(b, name, files)
		var out [][]byte
		for _, raw := range cut {
			l, err := ledger.ParseLine(bytes.TrimSuffix(raw, []byte("\n")))
			if err != nil || l.Seq < target || l.Seq > upTo {
				out = append(out, raw)
				continue
			}
			stamp, members := l.Stamp, l.Members()
			if l.Seq == target {
				changed = true
				prev, seq = l.Prev, l.Seq-1
				switch {
				case what == "drop" && l.Kind == ledger.KindEvent:
					continue
				case what == "put in" && l.Kind == ledger.KindEvent:
					stamp.Seq, stamp.Prev = seq+1, prev
					line, hash := f.line(&l, stamp, []byte(`"decision":"deny"`))
					out, prev, seq = append(out, line), hash, seq+1
				default:
					members = append(bytes.Clone(members), `,"decision":"allow"`...)
				}
			}
			seq++
			stamp.Seq, stamp.Prev = seq, prev
			line, hash := f.line(&l, stamp, members)
			out, prev = append(out, line), hash
		}
		put(out)
	}
	return changed
}

// TestForgeriesAreFound forges, changes, drops and inserts records with matching hashes but without
// the key, in ledgers with and without an older part.
func TestForgeriesAreFound(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	trials := 0
	rapid.Check(t, func(t *rapid.T) {
		b := drawBook(t, "one")
		b.closeTorn()
		if r := verify(t, b.all(), VerifyOptions{}); !r.IsClean() {
			t.Fatalf("nobody touched it: %v", r.Findings)
		}
		for range 3 {
			f, files := drawForger(t), b.all()
			do, name := f.change, "change"
			if rapid.Bool().Draw(t, "append") {
				do, name = f.append, "append"
			}
			if !do(t, b, files) {
				continue
			}
			trials++
			r := verify(t, files, VerifyOptions{})
			if r.IsClean() {
				t.Fatalf("%s: nothing was found", name)
			}
			isForged := func(f Finding) bool { return f.Kind == FindForged || f.Kind == FindUnsealed }
			if name == "append" && !slices.ContainsFunc(r.Findings, isForged) {
				t.Fatalf("%s: %v", name, r.Findings)
			}
		}
	})
	t.Logf("%d forgeries, all found", trials)
}

// TestOlderLedgers verifies ledgers of older builds, with and without newer records after them.
func TestOlderLedgers(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	b.seals, b.head = nil, ledger.Head{Ledger: b.key.ID()}
	b.begin(1)
	b.add(ledger.KindEvent, `"event":"e"`)
	if r := verify(t, b.all(), VerifyOptions{}); !r.IsClean() || len(r.Notices) > 0 {
		t.Errorf("an old one: %v, %v", r.Findings, r.Notices)
	}
	// Nothing vouches for what stands behind its head.
	files := b.all()
	forger{}.append(nil, b, files)
	if r := verify(t, files, VerifyOptions{}); len(r.Findings) != 1 || r.Findings[0].Kind != FindUnsealed {
		t.Errorf("appended to an old one: %v", r.Findings)
	}
	b.seals = b.key.Seals()
	b.rotate()
	b.add(ledger.KindEvent, `"event":"e"`)
	if r := verify(t, b.all(), VerifyOptions{}); !r.IsClean() || len(r.Notices) > 0 {
		t.Errorf("and a new part: %v, %v", r.Findings, r.Notices)
	}
	// An older build that writes beside a newer one.
	b.seals = nil
	b.add(ledger.KindEvent, `"event":"e"`)
	b.seals = b.key.Seals()
	b.add(ledger.KindEvent, `"event":"e"`)
	if r := verify(t, b.all(), VerifyOptions{}); len(r.Findings) != 1 || r.Findings[0].Kind != FindUnsealed || r.Records != 6 {
		t.Errorf("an old build beside a new one: %v", r.Findings)
	}
	// Without the key, that a seal is missing is seen, and that one is wrong is not.
	public := NewSigner(b.key).Public()
	files = b.all()
	delete(files, ledger.KeyFile)
	r := verify(t, files, VerifyOptions{Public: &public})
	if len(r.Findings) != 1 || r.Findings[0].Kind != FindUnsealed || !strings.Contains(strings.Join(r.CannotKnow, " "), "private key, which is not here") {
		t.Errorf("without the key: %v, %v", r.Findings, r.CannotKnow)
	}
}
