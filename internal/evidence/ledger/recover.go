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

// maxSegment limits how much of a segment is read after a crash. No writer writes that much to one.
const maxSegment = 256 << 20

// recoverChain finds the end of the chain by reading the segments, after a writer died or another
// program changed files. It closes a torn record, and reports a lost head or lost records as a gap. It
// does not change existing data. was, headErr and size are the head on disk, the error of reading it,
// and the size of the current segment.
func (w *writer) recoverChain(was Head, headErr error, size int64) error {
	last, err := w.lastSegment()
	if err != nil {
		return err
	}
	var found segmentSurvey
	if size > 0 && size <= maxSegment { // no writer leaves a larger one
		if found, err = w.surveySegment(CurrentFile, &was); err != nil {
			return err
		}
	}
	if found.records > 0 {
		w.head, w.reported, w.old = found.end, found.reported, !found.sealed
		w.head.Stores = w.latestStores(&found, &was, headErr)
		if len(found.torn) > 0 {
			w.closeTorn(found.torn, found.unauthenticated)
		}
		if gap := w.gapMembers(&was, headErr, last, found.hasHead); gap != nil {
			w.add(KindGap, gap)
		}
		if w.head.Stores != found.end.Stores {
			w.addStores()
		}
		return nil
	}
	if size == 0 && last == 0 && errors.Is(headErr, ErrNoHead) {
		w.initMissed()
		w.head.Stores = state.NoGenerations
		// The head is written before the first segment, so that a ledger without
		// a head has lost it.
		if err := w.writeHead(); err != nil {
			return err
		}
		return w.beginSegment(1, nil)
	}
	return w.beginAfterLast(&was, headErr, last, size > 0)
}

// closeTorn ends torn, what another writer left unfinished, with a record about it. strange is the
// number of unauthenticated records in torn; the chain does not continue from them.
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

// beginAfterLast begins a segment after last, the last full one, or the first segment. If damaged is
// set, the current segment has no readable record and is first renamed to a full one.
func (w *writer) beginAfterLast(was *Head, headErr error, last int, damaged bool) error {
	seen := false
	var full segmentSurvey
	if last > 0 {
		var err error
		if full, err = w.surveySegment(SegmentFile(last), was); err != nil {
			return err
		}
		w.head, seen, w.reported = full.end, full.hasHead, full.reported
	}
	w.head.Stores = w.latestStores(&full, was, headErr)
	gap := w.gapMembers(was, headErr, last, seen)
	if damaged {
		last++
		if err := w.finishSegment(last); err != nil {
			return err
		}
	}
	return w.beginSegment(last+1, gap)
}

// gapMembers returns the members of the gap record to write if the chain does not end where was, its
// head, says. It returns nil if it does. seen is set if the head's record was found.
func (w *writer) gapMembers(was *Head, headErr error, last int, seen bool) []byte {
	why := ""
	switch {
	case errors.Is(headErr, ErrNoHead):
		why = "the head was missing"
	case headErr != nil:
		why = headErr.Error()
	case seen || w.containsHead(was, last):
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

// containsHead reports whether one of the full segments, up to last, contains the record that the head
// was names. It returns true if the head names none.
func (w *writer) containsHead(was *Head, last int) bool {
	if was.Seq == 0 {
		return true
	}
	if was.Segment < 1 || was.Segment > last {
		return false
	}
	found, err := w.surveySegment(SegmentFile(was.Segment), was)
	return err == nil && found.hasHead
}

// lastSegment returns the number of the newest full segment, or 0 if there is none.
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

// segmentNumber returns the number for which SegmentFile returns name. It reports false if there is
// none.
func segmentNumber(name string) (number int, ok bool) {
	digits, ok := bytes.CutSuffix([]byte(name), []byte(".jsonl"))
	if !ok || len(digits) < 8 || slices.ContainsFunc(digits, func(c byte) bool { return c < '0' || c > '9' }) {
		return 0, false
	}
	n, err := strconv.Atoi(string(digits))
	return n, err == nil && n > 0 && SegmentFile(n) == name
}

// A segmentSurvey is the result of reading a segment.
type segmentSurvey struct {
	records         int
	end             Head   // after the last authenticated record
	torn            []byte // the bytes after end
	unauthenticated int    // number of records in torn
	sealed          bool   // the segment begins with a sealed record
	hasHead         bool   // the record that the head names was found
	reported        reportedMissed

	before         Head // before the last record, for a torn record that takes that one's place
	beforeReported reportedMissed
}

// surveySegment reads the segment in the file name and returns what it contains. was is the head that
// was on disk.
func (w *writer) surveySegment(name string, was *Head) (segmentSurvey, error) {
	data, err := w.opts.disk.Read(name, maxSegment)
	if err != nil {
		return segmentSurvey{}, err
	}
	s := segmentSurvey{reported: reportedMissed{known: true}}
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
		isHead := !s.hasHead && line.Seq == was.Seq && line.Hash == was.Hash
		if !isHead && !s.isAuthentic(&line, w.seals) {
			s.unauthenticated++
			continue
		}
		if line.Kind == KindTorn && line.Seq == s.before.Seq+1 && line.Prev == s.before.Hash {
			s.reported, s.end.Stores = s.beforeReported, s.before.Stores // the reverted record does not count
		}
		end, s.unauthenticated, s.before, s.beforeReported = at, 0, s.end, s.reported
		s.records++
		s.hasHead = s.hasHead || isHead
		if line.Kind == KindSegment {
			s.end.Segment, s.end.Began = segmentNumberIn(&line), line.Time
		}
		s.reported.addRecord(&line)
		s.end.Stores = StoresAfter(s.end.Stores, &line)
		s.end.Seq, s.end.Hash, s.end.Boot = line.Seq, line.Hash, line.Boot
	}
	s.end.Size = int64(end)
	s.torn = data[end:]
	return s, nil
}

// isAuthentic reports whether a writer wrote the record line, judging by seals. In a segment of an
// older build, the head vouches for records without a seal up to the record that it names. After that,
// each record must follow the last one, since a genuine record may have been inserted a second time.
func (s *segmentSurvey) isAuthentic(line *Line, seals *Seals) bool {
	if line.Sealed && !seals.IsValid(line) || !line.Sealed && (s.sealed || s.hasHead) {
		return false
	}
	follows := func(h *Head) bool { return line.Seq == h.Seq+1 && line.Prev == h.Hash }
	return !s.hasHead || follows(&s.end) || line.Kind == KindTorn && follows(&s.before)
}

// segmentNumberIn returns the number in line, the first record of a segment, or 0 if there is none.
func segmentNumberIn(line *Line) int {
	n, _ := strconv.Atoi(line.Text("segment"))
	return n
}
