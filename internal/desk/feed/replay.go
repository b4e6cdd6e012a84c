package feed

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// backlog gives s the recent rows that it must begin with. If it must begin with older ones, it
// returns a function that reports whether a line is early enough to read from.
func (f *Feed) backlog(s *Subscription) func(*ledger.Line) bool {
	after, since := s.last, s.filter.Since
	first := &Row{}
	if len(f.recent) > 0 {
		first = &f.recent[0].row
	}
	switch {
	case after > 0 && (first.Record == 0 || first.Record > after+1):
		return func(line *ledger.Line) bool { return line.Seq <= after }
	case after == 0 && !since.IsZero() && !first.Time.Before(since):
		return func(line *ledger.Line) bool { return line.Time.Before(since) }
	}
	c := &chunk{}
	for _, it := range f.recent {
		if it.row.Record > after {
			c.items = append(c.items, it)
			c.last = it.row.Record
		}
	}
	s.add(c)
	return nil
}

// readBack gives s the rows up to end, from the newest segment whose first line is early enough.
func (s *Subscription) readBack(isEarly func(*ledger.Line) bool, end ledger.Position) error {
	dir := s.feed.dir
	segments, err := ledger.Segments(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	from := ledger.Position{}
	for _, segment := range slices.Backward(segments) {
		from.Segment = segment.Number
		r := ledger.NewReader(dir, from)
		e, err := r.Next()
		r.Close()
		if err == nil && !e.Damaged && isEarly(&e.Line) {
			break
		}
	}
	old := &Subscription{filter: s.filter, judge: s.judge, calls: s.calls, more: make(chan struct{}, 1)}
	if err := old.readBetween(ledger.NewReader(dir, from), end, s.last); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(old.pending, s.pending...)
	s.dropped += old.dropped
	s.last = max(s.last, old.last)
	s.settle()
	return nil
}

// readBetween adds the rows from r up to end, after the record with the number after.
func (s *Subscription) readBetween(r *ledger.Reader, end ledger.Position, after uint64) error {
	defer r.Close()
	c := &chunk{}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) || err == nil && !isBefore(e.At, end) {
			s.add(c)
			return nil
		}
		if err != nil {
			return err
		}
		if e.Damaged || e.Line.Seq <= after || s.isTooOld(e.Line.Time) {
			continue
		}
		c.add(e.Line.Raw)
		if c.last = e.Line.Seq; len(c.items) >= maxPending {
			s.add(c)
			c = &chunk{}
		}
	}
}

// isTooOld reports whether the filter of s rejects records of this time.
func (s *Subscription) isTooOld(t time.Time) bool {
	return !s.filter.Since.IsZero() && t.Before(s.filter.Since)
}

// isBefore reports whether a is before b.
func isBefore(a, b ledger.Position) bool {
	return a.Segment < b.Segment || a.Segment == b.Segment && a.Offset < b.Offset
}
