package index

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
)

// Query returns the records that f accepts, by default newest first. An error, if any, is the last
// value.
func (ix *Index) Query(ctx context.Context, f Filter) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		q := query{filter: f, yield: func(h Hit) bool { return yield(h, nil) }}
		err := ix.withSheets(ctx, func(have map[int]*sheet) error { return q.run(ix.newWalk(ctx, have, &q.filter)) })
		if err != nil && !q.over {
			yield(Hit{}, ix.wrapError(err))
		}
	}
}

// A query remembers what it has yielded, in case it must start again.
type query struct {
	filter Filter
	yield  func(Hit) bool
	n      int
	last   Hit  // if n > 0
	over   bool // the caller wants no more hits
}

// run yields the hits of w that were not yielded before.
func (q *query) run(w *walk) error {
	defer w.closeFile()
	if q.n > 0 {
		w.skipTo(q.last.Segment)
	}
	for !q.over {
		c, err := w.nextChunk()
		if err != nil || c == nil {
			return err
		}
		if err := w.eachHit(c, func(p *place) bool { return q.yieldNew(p.toHit(c.id)) }); err != nil {
			return err
		}
	}
	return nil
}

// yieldNew yields h unless it was yielded before, and reports whether more hits are wanted.
func (q *query) yieldNew(h Hit) bool {
	if q.n > 0 && h.Segment == q.last.Segment && (h.Offset == q.last.Offset || h.Offset < q.last.Offset == q.filter.Oldest) {
		return true
	}
	q.n++
	q.last = h
	q.over = !q.yield(h) || q.n == q.filter.Limit
	return !q.over
}

// Count returns how many records f accepts, without regard to its limit.
func (ix *Index) Count(ctx context.Context, f Filter) (int, error) {
	total := 0
	err := ix.withSheets(ctx, func(have map[int]*sheet) error {
		w := ix.newWalk(ctx, have, &f)
		defer w.closeFile()
		for total = 0; ; {
			c, err := w.nextChunk()
			if err != nil || c == nil {
				return err
			}
			if w.bounds.includes(&c.span) {
				total += w.set.count()
			} else if err := w.eachHit(c, func(*place) bool { total++; return true }); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return 0, ix.wrapError(err)
	}
	return total, nil
}

// CountDamagedLines returns how many lines of the ledger are not valid records, and so appear in no
// result.
func (ix *Index) CountDamagedLines(ctx context.Context) (int, error) {
	n := 0
	err := ix.withSheets(ctx, func(have map[int]*sheet) error {
		n = 0
		for _, sh := range have {
			n += sh.damaged + sh.trailing
		}
		return nil
	})
	if err != nil {
		return 0, ix.wrapError(err)
	}
	return n, nil
}

// ByHash returns the records whose hash begins with prefix, in hex, oldest first. Only the first 16
// digits of prefix count.
func (ix *Index) ByHash(ctx context.Context, prefix string) ([]Hit, error) {
	low, high, err := hashRange(prefix)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	err = ix.withSheets(ctx, func(have map[int]*sheet) error {
		w := ix.newWalk(ctx, have, &Filter{Oldest: true})
		defer w.closeFile()
		hits, err = w.hitsByHash(low, high)
		return err
	})
	if err != nil {
		return nil, ix.wrapError(err)
	}
	return hits, nil
}

// hashRange returns the lowest and the highest hash that begin with prefix, as far as hashes are
// indexed.
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

// hitsByHash returns the records whose hashes lie between low and high. It reads the digests of all
// records, which takes less time than building an index of them.
func (w *walk) hitsByHash(low, high uint64) ([]Hit, error) {
	var hits []Hit
	for i := range w.left {
		c := &w.left[i]
		data, err := w.readPart(partDigests, c)
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
		if err := w.eachHit(c, func(p *place) bool { hits = append(hits, p.toHit(c.id)); return true }); err != nil {
			return nil, err
		}
	}
	return hits, nil
}
