package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
)

// A walk goes through the chunks that may hold an answer, in the order asked
// for, and sees the index as it is when it begins.
type walk struct {
	ctx    context.Context
	tx     *sql.Tx
	bounds span
	oldest bool
	terms  []string // the ids of each wanted list
	none   bool     // nothing can match
	at     int64    // the last chunk that was seen
	window int      // how many chunks are looked at together
	places []place  // scratch
	order  []int    // scratch
}

// A found is a chunk with the records in it that have all terms.
type found struct {
	id int64
	n  int
	span
	set bitmap
}

// The first answers are mostly in the first chunks; where they are not, there
// is far to go.
const (
	firstWindow = 2
	lastWindow  = 256
)

func newWalk(ctx context.Context, conn *sql.Conn, f *Filter) (*walk, error) {
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	w := &walk{ctx: ctx, tx: tx, bounds: f.bounds(), oldest: f.Oldest, window: firstWindow, at: maxInt}
	if f.Oldest {
		w.at = -1
	}
	for _, wanted := range f.wanted() {
		ids, err := wanted.terms(ctx, tx)
		if err != nil {
			w.end()
			return nil, err
		}
		w.none = w.none || ids == ""
		w.terms = append(w.terms, ids)
	}
	return w, nil
}

func (w *walk) end() { _ = w.tx.Rollback() } // nothing was written

// next returns the next chunks, some of which may have nothing; nil = that was
// all.
func (w *walk) next() ([]found, error) {
	if w.none {
		return nil, nil
	}
	chunks, err := w.chunks()
	if err != nil || len(chunks) == 0 {
		return nil, err
	}
	w.at = chunks[len(chunks)-1].id
	w.window = min(2*w.window, lastWindow)
	for _, ids := range w.terms {
		if err := w.narrow(chunks, ids); err != nil {
			return nil, err
		}
	}
	return chunks, nil
}

// chunks returns the next ones within the bounds, with all their records.
func (w *walk) chunks() ([]found, error) {
	query := "SELECT id, n, time_min, time_max FROM chunk WHERE time_max >= ? AND time_min <= ?"
	if w.oldest {
		query += " AND id > ? ORDER BY id LIMIT ?"
	} else {
		query += " AND id < ? ORDER BY id DESC LIMIT ?"
	}
	b := &w.bounds
	rows, err := w.tx.QueryContext(w.ctx, query, b.timeMin, b.timeMax, w.at, w.window)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var chunks []found
	for rows.Next() {
		var c found
		if err := rows.Scan(&c.id, &c.n, &c.timeMin, &c.timeMax); err != nil || c.n < 0 || c.n > chunkSize {
			return nil, errDamaged
		}
		c.set.fill(c.n)
		chunks = append(chunks, c)
	}
	return chunks, rows.Err()
}

// narrow keeps of the chunks' records those that have one of the terms.
func (w *walk) narrow(chunks []found, ids string) error {
	first, last := chunks[0].id, chunks[len(chunks)-1].id
	rows, err := w.tx.QueryContext(w.ctx, "SELECT chunk, bits FROM posting WHERE term IN ("+ids+") AND chunk BETWEEN ? AND ?",
		min(first, last), max(first, last))
	if err != nil {
		return err
	}
	defer rows.Close()
	having := make([]bitmap, len(chunks))
	for rows.Next() {
		var id int64
		var bits sql.RawBytes
		if err := rows.Scan(&id, &bits); err != nil {
			return damage(err)
		}
		i, ok := slices.BinarySearchFunc(chunks, id, func(c found, id int64) int {
			if w.oldest {
				return cmp.Compare(c.id, id)
			}
			return cmp.Compare(id, c.id)
		})
		if !ok {
			continue // it is out of bounds
		}
		if err := having[i].unite(bits); err != nil {
			return err
		}
	}
	for i := range chunks {
		chunks[i].set.intersect(&having[i])
	}
	return rows.Err()
}

// hits calls yield for the answers in a chunk, in order, until it returns
// false.
func (w *walk) hits(c *found, yield func(p *place) bool) error {
	if c.set.empty() {
		return nil
	}
	var data []byte
	err := w.tx.QueryRowContext(w.ctx, "SELECT data FROM places WHERE chunk = ?", c.id).Scan(&data)
	if err != nil {
		return damage(err)
	}
	if w.places, err = decodePlaces(w.places[:0], data, c.n); err != nil {
		return err
	}
	w.order = c.set.positions(w.order[:0])
	if !w.oldest {
		slices.Reverse(w.order)
	}
	for _, i := range w.order {
		if p := &w.places[i]; w.bounds.holds(p) && !yield(p) {
			return nil
		}
	}
	return nil
}
