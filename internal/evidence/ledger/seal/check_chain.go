package seal

import (
	"strconv"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A walk is how far a verifier has come.
type walk struct {
	listed  []ledger.Segment
	current SegmentSummary // the segment that is being read
	tail    int64          // where its last line ended, record or not
	at      link           // after the last record
	before  link           // after the one that stands before it, should a torn record undo the last
	vouched link           // after the last one that has to be taken for a writer's
	sealed  bool           // a record had a seal, so that all after it must
	first   *firstRecord
	pruned  []SegmentSummary // that signed records name
	stop    int              // segment of which the first record is the last to be read; 0 = none
	next    *firstRecord     // that record
}

// A firstRecord is where what is left of a ledger, or a segment, begins.
type firstRecord struct {
	seq     uint64
	prev    ledger.Hash
	segment int
	offset  int64
}

func newFirst(e *ledger.Entry) *firstRecord {
	return &firstRecord{seq: e.Line.Seq, prev: e.Line.Prev, segment: e.At.Segment, offset: e.At.Offset}
}

// edge is where the record after a link should begin in the current segment.
func (v *verifier) edge(l link) int64 {
	if l.segment != v.current.Segment {
		return 0
	}
	return l.end
}

// turn goes on to another segment.
func (v *verifier) turn(next int) error {
	v.endSegment()
	expected, here := v.current.Segment+1, Finding{Kind: FindSegment, Segment: next}
	for _, s := range v.listed {
		if s.Number <= v.current.Segment || s.Number >= next {
			continue
		}
		if s.Size > 0 {
			return errVanished
		}
		v.find(Finding{Kind: FindSegment, Segment: s.Number}, "segment %d is empty", s.Number)
		expected = s.Number + 1
	}
	if v.current.Segment > 0 && next > expected {
		if err := v.lookAgain(expected, next); err != nil {
			return err
		}
		v.find(here, "missing before it: %s", numbers("segment", uint64(expected), uint64(next-1)))
	}
	v.current, v.tail = SegmentSummary{Segment: next}, 0
	return nil
}

// lookAgain fails if the segments from one to before another are missing only
// because the ledger changed while it was read: whoever prunes removes the oldest
// first, so then the one that was just read is gone too.
func (v *verifier) lookAgain(from, to int) error {
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

// endSegment closes the books of the segment that was read.
func (v *verifier) endSegment() {
	if v.current.Segment == 0 {
		return
	}
	if start := v.edge(v.at); v.tail > start {
		v.find(Finding{Kind: FindDamaged, Segment: v.current.Segment, Offset: start},
			"the last %d bytes of the segment do not match any record as written: they were damaged or changed", v.tail-start)
	}
	v.current.Bytes = v.tail
	v.report.Bytes += v.tail
	v.report.Segments = append(v.report.Segments, v.current)
}

// end looks at how the ledger ends, after the last line.
func (v *verifier) end(r *ledger.Reader) error {
	// The segment that the reader would go on with: the current one, unless
	// there is none.
	last := r.Position().Segment
	if len(r.Rest()) > 0 && last != v.current.Segment {
		if err := v.turn(last); err != nil {
			return err
		}
	}
	if last == v.current.Segment {
		if err := v.checkTail(r.Rest()); err != nil {
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
			v.find(Finding{Kind: FindSegment, Segment: s.Number}, "segment %d is empty", s.Number)
		}
	}
	return nil
}

// entry takes a line.
func (v *verifier) entry(e *ledger.Entry) {
	v.tail = e.End()
	if e.Damaged && !e.Forged {
		return // until a record follows, nobody knows what this is
	}
	line := &e.Line
	here := Finding{Segment: e.At.Segment, Offset: e.At.Offset, Seq: line.Seq}
	if !v.checkSeal(e, here) {
		return
	}
	after, closed := v.at, false
	if line.Kind == ledger.KindTorn {
		if after, closed = v.closesTorn(e); !closed {
			v.find(here.as(FindTorn), "the record says that it closes what a dead writer left, but that is not what comes before it")
		}
	}
	damaged := !closed && e.At.Offset > v.edge(after)
	if damaged {
		v.findDamaged(e)
	}
	v.checkChain(line, after, here.as(FindChain), damaged)
	v.checkKind(line, here)
	v.checkTold(line, after, here.as(FindMissed))
	v.checkStores(line, after, here)
	v.checkClock(line, after, here.as(FindClock))
	v.accept(e, after)
}

// checkSeal reports whether a record may be taken for one. What has a seal that does not
// fit, no writer wrote. What has none may be an older build's, whose records others
// follow, but that is not to be told from anybody else's.
func (v *verifier) checkSeal(e *ledger.Entry, here Finding) bool {
	line := &e.Line
	switch {
	case line.Sealed && e.Forged:
		v.find(here.as(FindForged), "record %d was not written by this ledger's writer: its seal does not match", line.Seq)
		return false
	case line.Sealed:
		v.sealed = true
	case v.sealed || e.Forged:
		v.find(here.as(FindUnsealed), "record %d has no seal, although the records before it do: another program wrote it, or a version of checkrein without seals", line.Seq)
	}
	return true
}

// findDamaged reports what stands between the last record and this one.
func (v *verifier) findDamaged(e *ledger.Entry) {
	start := v.edge(v.at)
	here := Finding{Kind: FindDamaged, Segment: e.At.Segment, Offset: start}
	size := e.At.Offset - start
	if last := v.at.seq; v.first != nil && e.Line.Seq > last+1 {
		here.Seq = last + 1
		v.find(here, "%d bytes were damaged or changed; missing: %s", size, numbers("record", last+1, e.Line.Seq-1))
		return
	}
	v.find(here, "%d bytes do not match any record as written: they were damaged or changed", size)
}

// checkChain checks that a record follows the one it should.
func (v *verifier) checkChain(line *ledger.Line, after link, here Finding, damaged bool) {
	last := after.seq
	switch {
	case v.first == nil: // what it must follow is seen at the end
	case line.Seq > last+1:
		if !damaged { // which was reported, with the numbers
			v.find(here, "missing before record %d: %s", line.Seq, numbers("record", last+1, line.Seq-1))
		}
	case line.Seq <= last:
		v.find(here, "record %d comes after record %d: it was moved, copied or inserted", line.Seq, last)
	case line.Prev != after.hash:
		v.find(here, "record %d does not continue record %d before it: one of them was replaced", line.Seq, last)
	}
}

// checkKind checks what a record says about the ledger itself.
func (v *verifier) checkKind(line *ledger.Line, here Finding) {
	if isFirst := v.current.First == 0; isFirst != (line.Kind == ledger.KindSegment) {
		here = here.as(FindSegment)
		if isFirst {
			v.find(here, "the segment does not start with a record that gives its number")
		} else {
			v.find(here, "record %d starts a segment, but is in the middle of one", line.Seq)
		}
		return
	}
	switch line.Kind {
	case ledger.KindSegment:
		v.checkSegment(line, here.as(FindSegment))
	case ledger.KindGap:
		if _, missed := line.MissedTotal(); missed {
			v.checkMissed(line, here.as(FindGap))
		} else {
			v.checkGap(line, here.as(FindGap))
		}
	case ledger.KindPruned:
		v.checkPruned(line, here.as(FindPruned))
	case ledger.KindMended:
		v.notice(here.as(FindMode), "someone changed file modes so that nothing could be written, and a writer repaired them: %s", line.Text("what"))
	case ledger.KindTorn:
		if n, _ := strconv.Atoi(line.Text("unvouched")); n > 0 {
			v.find(here.as(FindForged), "a writer found %s before it that no writer of this ledger had written, and did not continue from there", amountOf(n, "record"))
		}
	}
}

// checkSegment checks that a segment is the one it is taken for.
func (v *verifier) checkSegment(line *ledger.Line, here Finding) {
	id := line.Text("ledger")
	if v.id == "" {
		v.id = id
	}
	if id != v.id {
		v.find(here, "the segment belongs to ledger %q, not to %s", id, v.id)
	}
	if number := line.Text("segment"); number != strconv.Itoa(v.current.Segment) {
		v.find(here, "the segment says that its number is %s, but it is in the place of segment %d", number, v.current.Segment)
	}
}

// checkStores checks the generations of sealed files that a record has, and the head's.
func (v *verifier) checkStores(line *ledger.Line, after link, here Finding) {
	if now, ok := ledger.StoresOf(line); ok && now.IsBehind(after.stores) {
		v.find(here.as(FindChain), "record %d has older generations of sealed files than the records before it", line.Seq)
	}
	if h := v.head; h != nil && h.Seq == line.Seq && h.Hash == line.Hash && h.Stores.OnlyWritten() != ledger.StoresAfter(after.stores, line).OnlyWritten() {
		v.find(here.as(FindHead), "the head has other generations of sealed files than the records")
	}
}

// checkGap passes on what a writer saw.
func (v *verifier) checkGap(line *ledger.Line, here Finding) {
	left := v.at.seq
	if v.at.kind == ledger.KindTorn || v.at.kind == ledger.KindSegment {
		left-- // written by who saw the gap
	}
	said, _ := strconv.ParseUint(line.Text("head_seq"), 10, 64)
	lost := "the number of lost records is unknown"
	if said > left {
		lost = "lost: " + numbers("record", left+1, said)
	}
	if line.Text("boot_changed") == "true" {
		lost += "; the machine restarted in between, so this may be a power loss"
	}
	v.find(here, "a writer found that the ledger did not match its head (%s): %s", line.Text("why"), lost)
}

// accept makes a record the last one, after another.
func (v *verifier) accept(e *ledger.Entry, after link) {
	line := &e.Line
	mark := Mark{Seq: line.Seq, Hash: line.Hash, Time: line.Time}
	if v.first == nil {
		v.first = newFirst(e)
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
		segment: e.At.Segment, end: e.End(), told: after.told.after(line), stores: ledger.StoresAfter(after.stores, line),
	}
	v.report.Missed = v.at.told.sum
	if (line.Sealed || !v.sealed) && (after.seq == 0 || line.Seq > v.vouched.seq) { // not one that was put in again
		v.vouched = v.at
	}
}

// numbers returns "record 5", or "records 5 to 7".
func numbers(what string, from, to uint64) string {
	if from == to {
		return what + " " + strconv.FormatUint(from, 10)
	}
	return what + "s " + strconv.FormatUint(from, 10) + " to " + strconv.FormatUint(to, 10)
}
