package index

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
)

// Query returns the records that a filter accepts, the newest first. An error
// is the last thing it yields.
func (ix *Index) Query(ctx context.Context, f Filter) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		q := query{filter: f, yield: func(h Hit) bool { return yield(h, nil) }}
		err := ix.healing(ctx, func(have map[int]*sheet) error { return q.run(ix.newWalk(ctx, have, &q.filter)) })
		if err != nil && !q.over {
			yield(Hit{}, ix.failed(err))
		}
	}
}

// A query remembers what it has yielded, should it have to begin again.
type query struct {
	filter Filter
	yield  func(Hit) bool
	n      int
	last   Hit  // if n > 0
	over   bool // nobody wants more
}

func (q *query) run(w *walk) error {
	defer w.shut()
	if q.n > 0 {
		w.skipTo(q.last.Segment)
	}
	for !q.over {
		c, err := w.next()
		if err != nil || c == nil {
			return err
		}
		if err := w.hits(c, func(p *place) bool { return q.hit(p.hit(c.id)) }); err != nil {
			return err
		}
	}
	return nil
}

// hit yields a record that was not yielded before.
func (q *query) hit(h Hit) bool {
	if q.n > 0 && h.Segment == q.last.Segment && (h.Offset == q.last.Offset || h.Offset < q.last.Offset == q.filter.Oldest) {
		return true
	}
	q.n++
	q.last = h
	q.over = !q.yield(h) || q.n == q.filter.Limit
	return !q.over
}

// Count returns how many records a filter accepts.
func (ix *Index) Count(ctx context.Context, f Filter) (int, error) {
	total := 0
	err := ix.healing(ctx, func(have map[int]*sheet) error {
		w := ix.newWalk(ctx, have, &f)
		defer w.shut()
		for total = 0; ; {
			c, err := w.next()
			if err != nil || c == nil {
				return err
			}
			if w.bounds.covers(&c.span) {
				total += w.set.count()
			} else if err := w.hits(c, func(*place) bool { total++; return true }); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return 0, ix.failed(err)
	}
	return total, nil
}

// Damaged returns how many lines of the ledger are no records, and so in no answer.
func (ix *Index) Damaged(ctx context.Context) (int, error) {
	n := 0
	err := ix.healing(ctx, func(have map[int]*sheet) error {
		n = 0
		for _, sh := range have {
			n += sh.damaged + sh.trailing
		}
		return nil
	})
	if err != nil {
		return 0, ix.failed(err)
	}
	return n, nil
}

// ByHash returns the records whose hash begins with some hex digits, oldest
// first. Of the digits no more than the first 16 are looked at.
func (ix *Index) ByHash(ctx context.Context, prefix string) ([]Hit, error) {
	low, high, err := hashRange(prefix)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	err = ix.healing(ctx, func(have map[int]*sheet) error {
		w := ix.newWalk(ctx, have, &Filter{Oldest: true})
		defer w.shut()
		hits, err = w.byHash(low, high)
		return err
	})
	if err != nil {
		return nil, ix.failed(err)
	}
	return hits, nil
}

// hashRange returns the first and the last of the hashes with a prefix, as far
// as the index knows hashes.
func hashRange(prefix string) (low, high uint64, err error) {
	digits := prefix[:min(len(prefix), 2*digestLen)]
	pad := strings.Repeat("0", 2*digestLen-len(digits))
	from, err := hex.DecodeString(digits + pad)
	if err != nil || prefix == "" || strings.Trim(prefix, "0123456789abcdefABCDEF") != "" {
		return 0, 0, fmt.Errorf("%q is not the start of a record's hash: use hexadecimal digits", prefix)
	}
	low = binary.BigEndian.Uint64(from)
	return low, low + (1<<(4*len(pad)) - 1), nil
}

// byHash reads the digests of all records: that takes less than an index of
// them would take to be made.
func (w *walk) byHash(low, high uint64) ([]Hit, error) {
	var hits []Hit
	for i := range w.left {
		c := &w.left[i]
		data, err := w.part(partDigests, c)
		if err != nil {
			return nil, err
		}
		if len(data) != digestLen*c.n {
			return nil, errDamaged
		}
		w.set = bitmap{}
		for i := range c.n {
			if d := binary.BigEndian.Uint64(data[digestLen*i:]); low <= d && d <= high {
				w.set.add(i)
			}
		}
		if err := w.hits(c, func(p *place) bool { hits = append(hits, p.hit(c.id)); return true }); err != nil {
			return nil, err
		}
	}
	return hits, nil
}
