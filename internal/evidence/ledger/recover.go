package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxSegment is how much of a segment is looked at after a crash: more than any
// writer makes of one.
const maxSegment = 256 << 20

// recover finds the end of the chain by reading, and marks what is not as a
// writer left it: a torn tail is closed, a lost head or lost records leave a
// gap. Nothing that is there is changed.
func (w *writer) recover(was Head, headErr error, size int64) error {
	last, err := w.lastSegment()
	if err != nil {
		return err
	}
	var found survey
	if size > 0 && size <= maxSegment { // what is larger, no writer made
		if found, err = w.survey(CurrentFile, &was); err != nil {
			return err
		}
	}
	if found.records > 0 {
		w.head, w.told, w.old = found.end, found.told, !found.sealed
		w.head.Stores = w.stores(&found, &was, headErr)
		if len(found.torn) > 0 {
			w.closeTorn(found.torn, found.strange)
		}
		if gap := w.gap(&was, headErr, last, found.head); gap != nil {
			w.add(KindGap, gap)
		}
		if w.head.Stores != found.end.Stores {
			w.addStores()
		}
		return nil
	}
	if size == 0 && last == 0 && errors.Is(headErr, ErrNoHead) {
		w.begun()
		w.head.Stores = state.NoGenerations
		// The head comes before the first segment, so that a ledger without
		// one has lost it.
		if err := w.writeHead(); err != nil {
			return err
		}
		return w.begin(1, nil)
	}
	return w.afterLast(&was, headErr, last, size > 0)
}

// closeTorn ends what another writer left unfinished with a record about it. Strange is
// how many records are in it that nobody vouches for: the chain does not go on from them.
func (w *writer) closeTorn(torn []byte, strange int) {
	sum := sha256.Sum256(torn)
	members := strconv.AppendInt([]byte(`"bytes":`), int64(len(torn)), 10)
	members = append(members, `,"digest":"`...)
	members = append(hex.AppendEncode(members, sum[:]), '"')
	if strange > 0 {
		members = strconv.AppendInt(append(members, `,"unvouched":`...), int64(strange), 10)
	}
	w.head.Size += int64(len(torn))
	w.pending = append(w.pending, '\n')
	w.add(KindTorn, members)
}

// afterLast begins a segment after the last full one, or the first of all. A
// current one in which nothing can be read is kept beside the full ones.
func (w *writer) afterLast(was *Head, headErr error, last int, damaged bool) error {
	seen := false
	var full survey
	if last > 0 {
		var err error
		if full, err = w.survey(SegmentFile(last), was); err != nil {
			return err
		}
		w.head, seen, w.told = full.end, full.head, full.told
	}
	w.head.Stores = w.stores(&full, was, headErr)
	gap := w.gap(was, headErr, last, seen)
	if damaged {
		last++
		if err := w.setAside(last); err != nil {
			return err
		}
	}
	return w.begin(last+1, gap)
}

// gap is what to record when the chain does not end where its head said; nil =
// it does. Was is that head, and seen says that its record was found.
func (w *writer) gap(was *Head, headErr error, last int, seen bool) []byte {
	why := ""
	switch {
	case errors.Is(headErr, ErrNoHead):
		why = "the head was missing"
	case headErr != nil:
		why = headErr.Error()
	case seen || w.holds(was, last):
		return nil
	default:
		why = fmt.Sprintf("the head says there are %d records, but the last one is missing", was.Seq)
	}
	boot, _ := w.opts.Clock()
	members := append([]byte(`"why":`), rawjson.Quote(why)...)
	members = strconv.AppendUint(append(members, `,"head_seq":`...), was.Seq, 10)
	members = append(append(members, `,"head_hash":"`...), was.Hash.String()...)
	members = append(members, `","boot_changed":`...)
	return strconv.AppendBool(members, was.Boot != "" && was.Boot != boot)
}

// holds reports whether the record that a head names, if any, is in a full segment.
func (w *writer) holds(was *Head, last int) bool {
	if was.Seq == 0 {
		return true
	}
	if was.Segment < 1 || was.Segment > last {
		return false
	}
	found, err := w.survey(SegmentFile(was.Segment), was)
	return err == nil && found.head
}

// lastSegment is the number of the newest full segment; 0 = there is none.
func (w *writer) lastSegment() (int, error) {
	names, err := w.opts.disk.Names()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	last := 0
	for _, name := range names {
		if n, ok := segmentNumber(name); ok {
			last = max(last, n)
		}
	}
	return last, nil
}

// segmentNumber reads what SegmentFile writes.
func segmentNumber(name string) (int, bool) {
	digits, ok := bytes.CutSuffix([]byte(name), []byte(".jsonl"))
	if !ok || len(digits) < 8 || slices.ContainsFunc(digits, func(c byte) bool { return c < '0' || c > '9' }) {
		return 0, false
	}
	n, err := strconv.Atoi(string(digits))
	return n, err == nil && n > 0 && SegmentFile(n) == name
}

// A survey is what reading a segment found.
type survey struct {
	records int
	end     Head   // after the last record that a writer vouches for
	torn    []byte // what comes after that
	strange int    // records in that
	sealed  bool   // the segment begins with a seal
	head    bool   // the record that a head names is there
	told    told

	before     Head // after the one that stands before the last, should a torn record undo that
	beforeTold told
}

// survey reads a segment.
func (w *writer) survey(name string, was *Head) (survey, error) {
	data, err := w.opts.disk.Read(name, maxSegment)
	if err != nil {
		return survey{}, err
	}
	s := survey{told: told{known: true}}
	end := 0
	for at := 0; at < len(data); {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			break
		}
		line, err := ParseLine(data[at : at+n])
		at += n + 1
		if err != nil {
			continue
		}
		if at == n+1 {
			s.sealed = line.Sealed
		}
		isHead := !s.head && line.Seq == was.Seq && line.Hash == was.Hash
		if !isHead && !s.vouches(&line, w.seals) {
			s.strange++
			continue
		}
		if line.Kind == KindTorn && line.Seq == s.before.Seq+1 && line.Prev == s.before.Hash {
			s.told, s.end.Stores = s.beforeTold, s.before.Stores // what it undoes tells nothing
		}
		end, s.strange, s.before, s.beforeTold = at, 0, s.end, s.told
		s.records++
		s.head = s.head || isHead
		if line.Kind == KindSegment {
			s.end.Segment, s.end.Began = segmentOf(&line), line.Time
		}
		s.told.after(&line)
		s.end.Stores = StoresAfter(s.end.Stores, &line)
		s.end.Seq, s.end.Hash, s.end.Boot = line.Seq, line.Hash, line.Boot
	}
	s.end.Size = int64(end)
	s.torn = data[end:]
	return s, nil
}

// vouches reports whether a record is a writer's. Up to the one that the head names, the
// head vouches for those without a seal, in a segment of a build that knew none. After
// it, each must follow the last: a genuine one may have been put in again.
func (s *survey) vouches(line *Line, seals *Seals) bool {
	if line.Sealed && !seals.Fits(line) || !line.Sealed && (s.sealed || s.head) {
		return false
	}
	follows := func(h *Head) bool { return line.Seq == h.Seq+1 && line.Prev == h.Hash }
	return !s.head || follows(&s.end) || line.Kind == KindTorn && follows(&s.before)
}

// segmentOf is the number in a segment's first record.
func segmentOf(line *Line) int {
	n, _ := strconv.Atoi(line.Text("segment"))
	return n
}
