package seal

import (
	"strconv"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A walk describes how far a verifier has read.
type walk struct {
	listed  []ledger.Segment
	current SegmentSummary // the segment that is being read
	tail    int64          // end of its last line, whether a record or not
	at      link           // after the last record
	before  link           // before the last record, for a torn record that takes that one's place
	vouched link           // after the last record that is authentic as far as the verifier can tell
	sealed  bool           // a record had a seal, so all later ones must have one
	first   *firstRecord
	pruned  []SegmentSummary // segments named in signed records
	stop    int              // segment whose first record is the last to be read; 0 means none
	next    *firstRecord     // that record
}

// A firstRecord is the record with which a segment, or what remains of a ledger, begins.
type firstRecord struct {
	seq     uint64
	prev    ledger.Hash
	segment int
	offset  int64
}

func newFirstRecord(e *ledger.Entry) *firstRecord {
	return &firstRecord{seq: e.Line.Seq, prev: e.Line.Prev, segment: e.At.Segment, offset: e.At.Offset}
}

// expectedOffset returns the offset in the current segment at which the record after l should begin.
func (v *verifier) expectedOffset(l link) int64 {
	if l.segment != v.current.Segment {
		return 0
	}
	return l.end
}

// enterSegment ends the segment that was read and continues with the segment next. It reports empty
// and missing segments in between.
func (v *verifier) enterSegment(next int) error {
	v.endSegment()
	expected, here := v.current.Segment+1, Finding{Kind: FindSegment, Segment: next}
	for _, s := range v.listed {
		if s.Number <= v.current.Segment || s.Number >= next {
			continue
		}
		if s.Size > 0 {
			return errVanished
		}
		v.addFinding(Finding{Kind: FindSegment, Segment: s.Number}, "segment %d is empty", s.Number)
		expected = s.Number + 1
	}
	if v.current.Segment > 0 && next > expected {
		if err := v.checkVanished(expected, next); err != nil {
			return err
		}
		v.addFinding(here, "missing before it: %s", numberRange("segment", uint64(expected), uint64(next-1)))
	}
	v.current, v.tail = SegmentSummary{Segment: next}, 0
	return nil
}

// checkVanished returns errVanished if the segments from from to to-1 are missing only because the
// ledger changed while it was read. Pruning removes the oldest segments first, so in that case the
// segment that was just read is gone too.
func (v *verifier) checkVanished(from, to int) error {
	listed, err := ledger.Segments(v.dir)
	if err != nil {
		return err
	}
	read := false
	for _, s := range listed {
		if from <= s.Number && s.Number < to {
			return errVanished
		}
		read = read || s.Number == v.current.Segment
	}
	if !read {
		return errVanished
	}
	return nil
}

// endSegment adds the segment that was read, if any, to the report.
func (v *verifier) endSegment() {
	if v.current.Segment == 0 {
		return
	}
	if start := v.expectedOffset(v.at); v.tail > start {
		v.addFinding(Finding{Kind: FindDamaged, Segment: v.current.Segment, Offset: start},
			"the last %d bytes of the segment do not match any record as written: they were damaged or changed", v.tail-start)
	}
	v.current.Bytes = v.tail
	v.report.Bytes += v.tail
	v.report.Segments = append(v.report.Segments, v.current)
}

// checkEnd checks how the ledger ends, after r has returned the last line.
func (v *verifier) checkEnd(r *ledger.Reader) error {
	// The reader would continue with this segment, which is the current one
	// if that exists.
	last := r.Position().Segment
	if len(r.UnfinishedLine()) > 0 && last != v.current.Segment {
		if err := v.enterSegment(last); err != nil {
			return err
		}
	}
	if last == v.current.Segment {
		if err := v.checkTail(r.UnfinishedLine()); err != nil {
			return err
		}
	}
	v.endSegment()
	for _, s := range v.listed {
		switch {
		case s.Number <= v.current.Segment:
		case s.Size > 0:
			return errVanished
		case !s.Current:
			v.addFinding(Finding{Kind: FindSegment, Segment: s.Number}, "segment %d is empty", s.Number)
		}
	}
	return nil
}

// checkEntry checks a line and, if it is a record, makes it the last one.
func (v *verifier) checkEntry(e *ledger.Entry) {
	v.tail = e.End()
	if e.Damaged && !e.Forged {
		return // the next record shows what it is
	}
	line := &e.Line
	here := Finding{Segment: e.At.Segment, Offset: e.At.Offset, Seq: line.Seq}
	if !v.checkSeal(e, here) {
		return
	}
	after, closed := v.at, false
	if line.Kind == ledger.KindTorn {
		if after, closed = v.closesTorn(e); !closed {
			v.addFinding(here.withKind(FindTorn), "the record says that it closes an unfinished record, but what comes before it is something else")
		}
	}
	damaged := !closed && e.At.Offset > v.expectedOffset(after)
	if damaged {
		v.reportDamaged(e)
	}
	v.checkChain(line, after, here.withKind(FindChain), damaged)
	v.checkLedgerRecord(line, here)
	v.checkMissedTotal(line, after, here.withKind(FindMissed))
	v.checkStores(line, after, here)
	v.checkClock(line, after, here.withKind(FindClock))
	v.acceptRecord(e, after)
}

// checkSeal reports whether a line counts as a record. A record with an invalid seal does not, since
// no writer wrote it. A record without a seal does, since an older build may have written it, but it
// is reported because it may as well be forged.
func (v *verifier) checkSeal(e *ledger.Entry, here Finding) bool {
	line := &e.Line
	switch {
	case line.Sealed && e.Forged:
		v.addFinding(here.withKind(FindForged), "record %d was not written by this ledger's writer: its seal does not match", line.Seq)
		return false
	case line.Sealed:
		v.sealed = true
	case v.sealed || e.Forged:
		v.addFinding(here.withKind(FindUnsealed), "record %d has no seal, although the records before it do: another program wrote it, or a version of checkrein without seals", line.Seq)
	}
	return true
}

// reportDamaged reports the bytes between the last record and e.
func (v *verifier) reportDamaged(e *ledger.Entry) {
	start := v.expectedOffset(v.at)
	here := Finding{Kind: FindDamaged, Segment: e.At.Segment, Offset: start}
	size := e.At.Offset - start
	if last := v.at.seq; v.first != nil && e.Line.Seq > last+1 {
		here.Seq = last + 1
		v.addFinding(here, "%d bytes were damaged or changed; missing: %s", size, numberRange("record", last+1, e.Line.Seq-1))
		return
	}
	v.addFinding(here, "%d bytes do not match any record as written: they were damaged or changed", size)
}

// checkChain reports a record that does not follow after, the one before it. damaged is set if the
// bytes between them were reported.
func (v *verifier) checkChain(line *ledger.Line, after link, here Finding, damaged bool) {
	last := after.seq
	switch {
	case v.first == nil: // what it must follow is checked at the end
	case line.Seq > last+1:
		if !damaged { // reportDamaged has reported the numbers
			v.addFinding(here, "missing before record %d: %s", line.Seq, numberRange("record", last+1, line.Seq-1))
		}
	case line.Seq <= last:
		v.addFinding(here, "record %d comes after record %d: it was moved, copied or inserted", line.Seq, last)
	case line.Prev != after.hash:
		v.addFinding(here, "record %d does not continue record %d before it: one of them was replaced", line.Seq, last)
	}
}

// checkLedgerRecord checks what line states about the ledger itself, if its kind is one that does.
func (v *verifier) checkLedgerRecord(line *ledger.Line, here Finding) {
	if isFirst := v.current.First == 0; isFirst != (line.Kind == ledger.KindSegment) {
		here = here.withKind(FindSegment)
		if isFirst {
			v.addFinding(here, "the segment does not start with a record that gives its number")
		} else {
			v.addFinding(here, "record %d starts a segment, but is in the middle of one", line.Seq)
		}
		return
	}
	switch line.Kind {
	case ledger.KindSegment:
		v.checkSegmentRecord(line, here.withKind(FindSegment))
	case ledger.KindGap:
		if _, missed := line.MissedTotal(); missed {
			v.reportMissed(line, here.withKind(FindGap))
		} else {
			v.reportGap(line, here.withKind(FindGap))
		}
	case ledger.KindPruned:
		v.checkPruned(line, here.withKind(FindPruned))
	case ledger.KindMended:
		v.addNotice(here.withKind(FindMode), "file modes prevented writing, and checkrein repaired them: %s", line.Text("what"))
	case ledger.KindTorn:
		if n, _ := strconv.Atoi(line.Text("unvouched")); n > 0 {
			v.addFinding(here.withKind(FindForged), "before this record: %s that no writer of this ledger wrote, and that the chain leaves out", countOf(n, "record"))
		}
	}
}

// checkSegmentRecord checks that line, the first record of a segment, names the expected ledger and
// segment.
func (v *verifier) checkSegmentRecord(line *ledger.Line, here Finding) {
	id := line.Text("ledger")
	if v.id == "" {
		v.id = id
	}
	if id != v.id {
		v.addFinding(here, "the segment belongs to ledger %q, not to %s", id, v.id)
	}
	if number := line.Text("segment"); number != strconv.Itoa(v.current.Segment) {
		v.addFinding(here, "the segment says that its number is %s, but it is in the place of segment %d", number, v.current.Segment)
	}
}

// checkStores checks the generations of sealed files in line against those before it, and those in the
// head if it names line.
func (v *verifier) checkStores(line *ledger.Line, after link, here Finding) {
	if now, ok := ledger.StoresOf(line); ok && now.IsBehind(after.stores) {
		v.addFinding(here.withKind(FindChain), "record %d has older generations of sealed files than the records before it", line.Seq)
	}
	if h := v.head; h != nil && h.Seq == line.Seq && h.Hash == line.Hash && h.Stores.OnlyWritten() != ledger.StoresAfter(after.stores, line).OnlyWritten() {
		v.addFinding(here.withKind(FindHead), "the head has other generations of sealed files than the records")
	}
}

// reportGap reports the gap that a writer recorded in line.
func (v *verifier) reportGap(line *ledger.Line, here Finding) {
	left := v.at.seq
	if v.at.kind == ledger.KindTorn || v.at.kind == ledger.KindSegment {
		left-- // written by the writer that found the gap
	}
	said, _ := strconv.ParseUint(line.Text("head_seq"), 10, 64)
	lost := "the number of lost records is unknown"
	if said > left {
		lost = "lost: " + numberRange("record", left+1, said)
	}
	if line.Text("boot_changed") == "true" {
		lost += "; the machine restarted in between, so this may be a power loss"
	}
	v.addFinding(here, "a writer found that the ledger did not match its head (%s): %s", line.Text("why"), lost)
}

// acceptRecord makes e the last record. after is the state of the chain before it.
func (v *verifier) acceptRecord(e *ledger.Entry, after link) {
	line := &e.Line
	mark := Mark{Seq: line.Seq, Hash: line.Hash, Time: line.Time}
	if v.first == nil {
		v.first = newFirstRecord(e)
		v.report.First, v.report.Last = new(Mark), new(Mark)
		*v.report.First = mark
	}
	*v.report.Last = mark
	if v.current.First == 0 {
		v.current.First, v.current.From = line.Seq, line.Time
	}
	v.current.Last, v.current.Hash, v.current.To = line.Seq, line.Hash, line.Time
	if _, wanted := v.got[line.Seq]; wanted {
		v.got[line.Seq] = line.Hash
	}
	v.report.Records = after.count + 1
	v.before = v.at
	v.at = link{
		count: after.count + 1, seq: line.Seq, hash: line.Hash, kind: line.Kind, time: line.Time, boot: line.Boot, mono: line.Mono,
		segment: e.At.Segment, end: e.End(), missed: after.missed.withRecord(line), stores: ledger.StoresAfter(after.stores, line),
	}
	v.report.Missed = v.at.missed.sum
	if (line.Sealed || !v.sealed) && (after.seq == 0 || line.Seq > v.vouched.seq) { // not one that was inserted again
		v.vouched = v.at
	}
}

// numberRange returns text such as "record 5" or "records 5 to 7".
func numberRange(what string, from, to uint64) string {
	if from == to {
		return what + " " + strconv.FormatUint(from, 10)
	}
	return what + "s " + strconv.FormatUint(from, 10) + " to " + strconv.FormatUint(to, 10)
}
