package seal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/lab/norace"
	"pgregory.net/rapid"
)

// drawBook draws a ledger that can come about without any tampering.
func drawBook(t *rapid.T, name string) *book {
	b := newBook(name)
	if rapid.IntRange(0, 3).Draw(t, "older part") == 0 { // of a build that knew no seals
		b.seals, b.head, b.ends = nil, ledger.Head{Ledger: b.key.ID()}, nil
		b.begin(1)
		for range rapid.IntRange(0, 4).Draw(t, "older records") {
			b.add(ledger.KindEvent, `"event":"e"`)
		}
		b.seals = b.key.Seals()
		b.rotate()
	}
	for range rapid.IntRange(2, 18).Draw(t, "steps") {
		b.pass(time.Duration(rapid.IntRange(0, 7200_000).Draw(t, "ms")) * time.Millisecond)
		switch rapid.IntRange(0, 11).Draw(t, "step") {
		default:
			b.closeTorn()
			b.add(ledger.KindEvent, fmt.Sprintf(`"event":"e","pad":"%s"`, strings.Repeat("x", rapid.IntRange(0, 40).Draw(t, "pad"))))
		case 0, 1:
			b.rotate()
		case 2:
			b.closeTorn()
			b.tear(ledger.KindEvent, rapid.IntRange(1, 500).Draw(t, "torn"))
		case 3: // and one more who dies closing it
			b.closeTorn()
			b.tear(ledger.KindEvent, rapid.IntRange(1, 500).Draw(t, "torn"))
			b.tear(ledger.KindTorn, rapid.IntRange(0, 500).Draw(t, "torn again"))
		case 4:
			if full := b.head.Segment - b.oldest; full > 0 {
				n := rapid.IntRange(1, full).Draw(t, "pruned")
				b.prune(n, rapid.IntRange(0, n).Draw(t, "spared"))
			}
		case 5:
			b.closeTorn()
			b.addCheckpoint()
		case 6: // the machine restarts
			b.closeTorn()
			b.boot, b.mono = b.boot+"x", 0
		}
	}
	return b
}

// A mutation changes the files of a ledger and reports whether it did.
type mutation struct {
	name string
	do   func(t *rapid.T, b *book, files map[string][]byte) bool
}

func mutations() []mutation {
	return []mutation{
		{"flip a bit", flipBit},
		{"change a byte", changeByte},
		{"delete a line", deleteLine},
		{"swap two lines", swapLines},
		{"repeat a line", repeatLine},
		{"splice another's line", spliceLine},
		{"delete a segment", deleteSegment},
		{"swap two segments", swapSegments},
		{"truncate", truncate},
		{"edit the head", editHead},
		{"remove the head", removeHead},
		{"edit a checkpoint", editCheckpoint},
		{"rewrite without the key", rewrite},
		{"replace the key", replaceKey},
	}
}

func TestMutationsAreFound(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBook(t, "one")
		if r := verify(t, b.all(), VerifyOptions{}); !r.IsClean() {
			t.Fatalf("nobody touched it: %v", r.Findings)
		}
		for range 3 {
			m := rapid.SampledFrom(mutations()).Draw(t, "mutation")
			files := b.all()
			if m.do(t, b, files) && verify(t, files, VerifyOptions{}).IsClean() {
				t.Fatalf("%s: nothing was found", m.name)
			}
		}
	})
}

// segment draws a segment's file.
func segment(t *rapid.T, files map[string][]byte) string {
	var names []string
	for name := range files {
		if strings.HasPrefix(name, "0") || name == ledger.CurrentFile {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return rapid.SampledFrom(names).Draw(t, "file")
}

// acknowledgedSize returns the size of the acknowledged part of a segment: everything except a torn
// tail, of which nothing is known.
func (b *book) acknowledgedSize(name string, files map[string][]byte) int {
	if name == ledger.CurrentFile {
		return b.whole
	}
	return len(files[name])
}

func drawByte(t *rapid.T, b *book, files map[string][]byte) (string, int) {
	name := segment(t, files)
	files[name] = bytes.Clone(files[name])
	return name, rapid.IntRange(0, b.acknowledgedSize(name, files)-1).Draw(t, "byte")
}

func flipBit(t *rapid.T, b *book, files map[string][]byte) bool {
	name, i := drawByte(t, b, files)
	files[name][i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	return true
}

func changeByte(t *rapid.T, b *book, files map[string][]byte) bool {
	name, i := drawByte(t, b, files)
	was := files[name][i]
	files[name][i] = rapid.SampledFrom([]byte("\n\r \x00\"{}0a")).Draw(t, "to")
	return files[name][i] != was
}

// splitLines splits the acknowledged part of a segment into lines; put joins them again.
func splitLines(b *book, name string, files map[string][]byte) (cut [][]byte, put func([][]byte)) {
	n := b.acknowledgedSize(name, files)
	tail := files[name][n:]
	cut = bytes.SplitAfter(files[name][:n], []byte("\n"))
	return cut[:len(cut)-1], func(all [][]byte) {
		files[name] = append(bytes.Join(all, nil), tail...)
	}
}

func drawLine(t *rapid.T, b *book, files map[string][]byte) ([][]byte, int, func([][]byte)) {
	cut, put := splitLines(b, segment(t, files), files)
	return cut, rapid.IntRange(0, len(cut)-1).Draw(t, "line"), put
}

func deleteLine(t *rapid.T, b *book, files map[string][]byte) bool {
	cut, i, put := drawLine(t, b, files)
	put(slices.Delete(cut, i, i+1))
	return true
}

func swapLines(t *rapid.T, b *book, files map[string][]byte) bool {
	cut, i, put := drawLine(t, b, files)
	j := rapid.IntRange(0, len(cut)-1).Draw(t, "other")
	cut[i], cut[j] = cut[j], cut[i]
	differ := !bytes.Equal(cut[i], cut[j])
	put(cut)
	return differ
}

func repeatLine(t *rapid.T, b *book, files map[string][]byte) bool {
	cut, i, _ := drawLine(t, b, files)
	line := cut[i]
	cut, i, put := drawLine(t, b, files)
	put(slices.Insert(cut, i, line))
	return true
}

func spliceLine(t *rapid.T, b *book, files map[string][]byte) bool {
	other := drawBook(t, "two")
	from, i, _ := drawLine(t, other, other.all())
	cut, j, put := drawLine(t, b, files)
	if rapid.Bool().Draw(t, "instead") {
		differ := !bytes.Equal(cut[j], from[i])
		cut[j] = from[i]
		put(cut)
		return differ
	}
	put(slices.Insert(cut, j, from[i]))
	return true
}

func deleteSegment(t *rapid.T, b *book, files map[string][]byte) bool {
	name := segment(t, files)
	delete(files, name)
	// The oldest was to be removed anyway, if pruning did not get there.
	return b.oldest > b.named || name != ledger.SegmentFile(b.oldest)
}

func swapSegments(t *rapid.T, _ *book, files map[string][]byte) bool {
	a, b := segment(t, files), segment(t, files)
	files[a], files[b] = files[b], files[a]
	return a != b
}

func truncate(t *rapid.T, b *book, files map[string][]byte) bool {
	name := segment(t, files)
	files[name] = files[name][:rapid.IntRange(0, b.acknowledgedSize(name, files)-1).Draw(t, "size")]
	return true
}

func editHead(t *rapid.T, _ *book, files map[string][]byte) bool {
	head := files[ledger.HeadFile]
	head[rapid.IntRange(0, len(head)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	return true
}

func removeHead(t *rapid.T, _ *book, files map[string][]byte) bool {
	if files[ledger.HeadFile] = nil; rapid.Bool().Draw(t, "wholly") {
		delete(files, ledger.HeadFile)
	}
	return true
}

func editCheckpoint(t *rapid.T, _ *book, files map[string][]byte) bool {
	own := bytes.Clone(files[CheckpointsFile])
	if len(own) == 0 {
		return false
	}
	own[rapid.IntRange(0, len(own)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	files[CheckpointsFile] = own
	return true
}

func replaceKey(t *rapid.T, _ *book, files map[string][]byte) bool {
	key := bytes.Clone(files[ledger.KeyFile])
	key[rapid.IntRange(0, len(key)-1).Draw(t, "byte")]++
	files[ledger.KeyFile] = key
	return true
}

// rewrite changes a record and adjusts everything after it.
func rewrite(t *rapid.T, b *book, files map[string][]byte) bool {
	target := uint64(rapid.IntRange(int(b.firstSeq()), int(b.head.Seq)).Draw(t, "record"))
	rechain(b, files, target, rapid.Bool().Draw(t, "drop"))
	return true
}

func (b *book) firstSeq() uint64 {
	for _, e := range b.ends {
		if e.Segment == b.oldest {
			return e.Seq
		}
	}
	return 1
}

// rechain edits or drops a record, and writes all records after it again.
func rechain(b *book, files map[string][]byte, target uint64, drop bool) {
	var prev ledger.Hash
	var seq uint64
	for number := b.oldest; number <= b.head.Segment; number++ {
		name := ledger.SegmentFile(number)
		if number == b.head.Segment {
			name = ledger.CurrentFile
		}
		cut, put := splitLines(b, name, files)
		var out [][]byte
		for _, raw := range cut {
			l, err := ledger.ParseLine(bytes.TrimSuffix(raw, []byte("\n")))
			if err != nil || l.Seq < target {
				out = append(out, raw)
				prev, seq = l.Hash, l.Seq
				continue
			}
			if l.Seq == target && drop && l.Kind == ledger.KindEvent {
				prev, seq = l.Prev, l.Seq-1
				continue
			}
			members := bytes.Clone(l.Members())
			if l.Seq == target {
				members = append(members, `,"edited":true`...)
				prev, seq = l.Prev, l.Seq-1
			}
			seq++
			l.Seq, l.Prev = seq, prev
			line, hash := ledger.AppendLine(nil, &l.Stamp, members, nil)
			out, prev = append(out, line), hash
		}
		put(out)
	}
}

func TestTruncationIsFoundByWitness(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBook(t, "one")
		b.closeTorn()
		b.add(ledger.KindEvent, `"event":"e"`)
		witness := Witness{Name: "outside", Data: b.checkpoint().Line()}
		if r := verify(t, b.all(), VerifyOptions{Witnesses: []Witness{witness}}); !r.IsClean() || r.Witness == nil || r.Witness.Seq != b.head.Seq {
			t.Fatalf("nobody touched it: %v, witness %v", r.Findings, r.Witness)
		}
		// Somebody with the key takes the ledger back to an earlier head.
		var ends []ledger.Head
		for _, e := range b.ends[:len(b.ends)-1] {
			if e.Segment >= b.oldest {
				ends = append(ends, e)
			}
		}
		to := rapid.SampledFrom(ends).Draw(t, "end")
		files := truncateTo(b, to)
		r := verify(t, files, VerifyOptions{Witnesses: []Witness{witness}})
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Kind == FindWitness }) {
			t.Fatalf("the witness found nothing: %v", r.Findings)
		}
	})
}

// truncateTo returns the files of a ledger that ends earlier, with a matching head and checkpoints.
func truncateTo(b *book, to ledger.Head) map[string][]byte {
	files := b.all()
	var own []byte
	eachCheckpoint(files[CheckpointsFile], func(_ int, c Checkpoint, _ error) {
		if c.Seq <= to.Seq {
			own = append(own, c.Line()...)
		}
	})
	files[CheckpointsFile] = own
	for number := to.Segment; number < b.head.Segment; number++ {
		if number == to.Segment {
			files[ledger.CurrentFile] = files[ledger.SegmentFile(number)]
		}
		delete(files, ledger.SegmentFile(number))
	}
	files[ledger.CurrentFile] = files[ledger.CurrentFile][:to.Size]
	files[ledger.HeadFile] = to.AppendSealed(nil, b.key)
	return files
}

func TestClockSetBackIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBook(t, "one")
		b.closeTorn()
		b.add(ledger.KindEvent, `"event":"e"`)
		back := time.Duration(rapid.IntRange(2100, 1_000_000).Draw(t, "ms")) * time.Millisecond
		b.mono += int64(rapid.IntRange(0, 60).Draw(t, "s")) * 1e9
		b.now = b.now.Add(-back)
		restart := rapid.Bool().Draw(t, "restart") // after which the clock may have been wrong for a while
		if restart {
			b.boot, b.mono = "another", 0
		}
		b.add(ledger.KindEvent, `"event":"e"`)
		r := verify(t, b.all(), VerifyOptions{})
		found, other := r.Findings, r.Notices
		if restart {
			found, other = other, found
		}
		isClock := func(f Finding) bool { return f.Kind == FindClock && f.Seq == b.head.Seq }
		if !slices.ContainsFunc(found, isClock) || slices.ContainsFunc(other, isClock) {
			t.Fatalf("findings %v, notices %v", r.Findings, r.Notices)
		}
	})
}
