package index

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/checkrein/checkrein/internal/state"
)

// A walk goes through the chunks that may hold an answer, in the order asked
// for, and sees the index as it is when it begins.
type walk struct {
	ctx    context.Context
	tx     *sql.Tx
	secret *state.Secret
	bounds span
	oldest bool
	wanted []wanted
	left   []found // chunks that were not seen yet
	window int     // how many chunks are looked at together
	places []place // scratch
	order  []int   // scratch

	damaged int // lines of the ledger that are no records
}

// A found is a chunk with the records in it that have all terms.
type found struct {
	id int64
	head
	set bitmap
}

// The first answers are mostly in the first chunks; where they are not, there
// is far to go.
const (
	firstWindow = 2
	lastWindow  = 256
)

func (ix *Index) newWalk(ctx context.Context, conn *sql.Conn, f *Filter) (*walk, error) {
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	w := &walk{ctx: ctx, tx: tx, secret: ix.secret, bounds: f.bounds(), oldest: f.Oldest, window: firstWindow, wanted: f.wanted()}
	have, err := knownSegments(ctx, tx, ix.secret)
	if err != nil {
		w.end()
		return nil, err
	}
	for _, number := range slices.Sorted(maps.Keys(have)) {
		k := have[number]
		w.damaged += k.damaged + k.trailing
		for i, h := range k.chunks {
			if w.bounds.meets(&h.span) {
				w.left = append(w.left, found{id: firstChunk(number) + int64(i), head: h})
			}
		}
	}
	if !f.Oldest {
		slices.Reverse(w.left)
	}
	return w, nil
}

func (w *walk) end() { _ = w.tx.Rollback() } // nothing was written

// skipTo leaves out the chunks of the segments before one.
func (w *walk) skipTo(segment int) {
	w.left = slices.DeleteFunc(w.left, func(c found) bool {
		if w.oldest {
			return segmentOf(c.id) < segment
		}
		return segmentOf(c.id) > segment
	})
}

// next returns the next chunks, some of which may have nothing; nil = that was
// all.
func (w *walk) next() ([]found, error) {
	chunks := w.left[:min(w.window, len(w.left))]
	w.left = w.left[len(chunks):]
	w.window = min(2*w.window, lastWindow)
	for i := range chunks {
		chunks[i].set.fill(chunks[i].n)
	}
	for i := range w.wanted {
		if len(chunks) == 0 {
			break
		}
		if err := w.narrow(chunks, &w.wanted[i]); err != nil {
			return nil, err
		}
	}
	return chunks, nil
}

// narrow keeps of the chunks' records those that have one of the terms. Every chunk must
// have the field's part: without it its records would be hidden.
func (w *walk) narrow(chunks []found, want *wanted) error {
	first, last := chunks[0].id, chunks[len(chunks)-1].id
	k := kind(want.field)
	rows, err := w.tx.QueryContext(w.ctx, "SELECT id, data FROM part WHERE id BETWEEN ? AND ?", partID(k, min(first, last)), partID(k, max(first, last)))
	if err != nil {
		return err
	}
	defer rows.Close()
	seen := 0
	for rows.Next() {
		var id int64
		var data sql.RawBytes
		if err := rows.Scan(&id, &data); err != nil {
			return damage(err)
		}
		id -= partID(k, 0)
		i, ok := slices.BinarySearchFunc(chunks, id, func(c found, id int64) int {
			if w.oldest {
				return cmp.Compare(c.id, id)
			}
			return cmp.Compare(id, c.id)
		})
		if !ok {
			continue // it is out of bounds
		}
		c := &chunks[i]
		body, err := opened(w.secret, partName(k, c.id, &c.head), data)
		var having bitmap
		if err == nil {
			err = want.have(body, &having)
		}
		if err != nil {
			return err
		}
		c.set.intersect(&having)
		seen++
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if seen != len(chunks) {
		return errForged
	}
	return nil
}

// hits calls yield for the answers in a chunk, in order, until it returns
// false.
func (w *walk) hits(c *found, yield func(p *place) bool) error {
	if c.set.empty() {
		return nil
	}
	data, err := part(w.ctx, w.tx, w.secret, partPlaces, c.id, &c.head)
	if err != nil {
		return err
	}
	if w.places, err = decodePlaces(w.places[:0], data, c.n); err != nil {
		return err
	}
	w.order = c.set.positions(w.order[:0])
	if !w.oldest {
		slices.Reverse(w.order)
	}
	for _, i := range w.order {
		if i >= len(w.places) {
			return errDamaged
		}
		if p := &w.places[i]; w.bounds.holds(p) && !yield(p) {
			return nil
		}
	}
	return nil
}
