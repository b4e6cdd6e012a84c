package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// batch is how many chunks are written at once. A build that is broken off goes
// on after the last batch.
const batch = 32

// carryOut reads with all processors, since that takes longest, and writes in
// this goroutine. The order of segments does not matter.
func (ix *Index) carryOut(ctx context.Context, conn *sql.Conn, p *plan) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	readers := min(runtime.GOMAXPROCS(0), len(p.jobs))
	chunks := make(chan *chunk, 2*readers)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(p.jobs)); i = next.Add(1) - 1 {
				if err := p.jobs[i].read(ctx, ix.dir, chunks); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(chunks)
	}()
	err := ix.writeAll(ctx, conn, p, chunks)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	cancel(err)
	for range chunks { // until the readers have seen that it is over
	}
	return err
}

// writeAll writes the chunks in batches.
func (ix *Index) writeAll(ctx context.Context, conn *sql.Conn, p *plan, chunks <-chan *chunk) error {
	var done int64
	for first, more := true, true; more; first = false {
		w, err := begin(ctx, conn, &p.generation)
		if err != nil {
			return err
		}
		if first {
			err = w.forget(p)
		}
		for n := 0; n < batch && more && err == nil; n++ {
			var c *chunk
			if c, more = <-chunks; more {
				err = w.put(c)
				done += c.done - c.from
			}
		}
		if err == nil {
			err = ctx.Err()
		}
		if err = w.end(err); err != nil {
			return err
		}
		if ix.progress != nil {
			ix.progress(min(done, p.total), p.total) // more may have come than was planned
		}
	}
	return nil
}

// A writer is a transaction on the index.
type writer struct {
	ctx context.Context
	tx  *sql.Tx
	ids map[string]int64 // of terms, by field and text
	buf []byte

	putSegment, putChunk, putPlaces, putDigests, putPosting *sql.Stmt
	getPosting, getTerm, putTerm                            *sql.Stmt
}

// begin waits for its turn. The generation must be as planned, and is then the
// next one.
func begin(ctx context.Context, conn *sql.Conn, generation *int64) (*writer, error) {
	tx, err := lock(ctx, conn)
	if err != nil {
		return nil, err
	}
	w := &writer{ctx: ctx, tx: tx, ids: make(map[string]int64)}
	var now int64
	err = tx.QueryRowContext(ctx, "UPDATE state SET generation = generation + 1 RETURNING generation").Scan(&now)
	if err == nil && now != *generation+1 {
		err = errMoved
	}
	*generation = now
	for _, s := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.putSegment, "INSERT OR REPLACE INTO segment (number, done, hash, size, damaged, trailing) VALUES (?, ?, ?, ?, ?, ?)"},
		{&w.putChunk, "INSERT OR REPLACE INTO chunk (id, n, time_min, time_max) VALUES (?, ?, ?, ?)"},
		{&w.putPlaces, "INSERT OR REPLACE INTO places (chunk, data) VALUES (?, ?)"},
		{&w.putDigests, "INSERT OR REPLACE INTO digests (chunk, data) VALUES (?, ?)"},
		{&w.putPosting, "INSERT OR REPLACE INTO posting (term, chunk, bits) VALUES (?, ?, ?)"},
		{&w.getPosting, "SELECT bits FROM posting WHERE term = ? AND chunk = ?"},
		{&w.getTerm, "SELECT id FROM term WHERE field = ? AND text = ?"},
		{&w.putTerm, "INSERT INTO term (field, text) VALUES (?, ?) RETURNING id"},
	} {
		if err == nil {
			*s.stmt, err = tx.PrepareContext(ctx, s.text)
		}
	}
	if err != nil {
		return nil, w.end(err)
	}
	return w, nil
}

// lock begins a transaction that writes. Another process may be building for
// minutes, which is fine as long as it gets on.
func lock(ctx context.Context, conn *sql.Conn) (*sql.Tx, error) {
	for last := int64(-1); ; {
		tx, err := conn.BeginTx(ctx, nil)
		if code(err) != codeBusy {
			return tx, err
		}
		var now int64
		if err := conn.QueryRowContext(ctx, "SELECT generation FROM state").Scan(&now); err != nil {
			return nil, err
		}
		if now == last {
			return nil, fmt.Errorf("another program has held it for %v and does not get on; end that one: %w", patience, err)
		}
		last = now
	}
}

// end commits, or takes back what was written.
func (w *writer) end(err error) error {
	if err != nil {
		_ = w.tx.Rollback() // of which the connection's end is another way
		return err
	}
	return w.tx.Commit()
}

// forget removes the segments that are gone, and terms that nothing has.
func (w *writer) forget(p *plan) error {
	if p.reset {
		for _, table := range []string{"segment", "chunk", "places", "digests", "term", "posting"} {
			if _, err := w.tx.ExecContext(w.ctx, "DELETE FROM "+table); err != nil {
				return err
			}
		}
		_, err := w.tx.ExecContext(w.ctx, "UPDATE state SET ledger = ?", p.ledger)
		return err
	}
	for _, number := range p.gone {
		if _, err := w.tx.ExecContext(w.ctx, "DELETE FROM segment WHERE number = ?", number); err != nil {
			return err
		}
		for _, of := range []string{"chunk WHERE id", "places WHERE chunk", "digests WHERE chunk", "posting WHERE chunk"} {
			if _, err := w.tx.ExecContext(w.ctx, "DELETE FROM "+of+" BETWEEN ? AND ?", firstChunk(number), lastChunk(number)); err != nil {
				return err
			}
		}
	}
	if len(p.gone) == 0 {
		return nil
	}
	_, err := w.tx.ExecContext(w.ctx, "DELETE FROM term WHERE NOT EXISTS (SELECT 1 FROM posting WHERE term = term.id)")
	return err
}

// put writes a chunk, and how far its segment is read.
func (w *writer) put(c *chunk) error {
	if _, err := w.putSegment.ExecContext(w.ctx, segmentOf(c.id), c.done, c.hash[:], c.size, c.damaged, c.trailing); err != nil {
		return err
	}
	if c.n == c.known {
		return nil
	}
	if _, err := w.putChunk.ExecContext(w.ctx, c.id, c.n, c.timeMin, c.timeMax); err != nil {
		return err
	}
	if _, err := w.putPlaces.ExecContext(w.ctx, c.id, c.places); err != nil {
		return err
	}
	if _, err := w.putDigests.ExecContext(w.ctx, c.id, c.digests); err != nil {
		return err
	}
	for key, set := range c.terms {
		if err := w.post(c, key, set); err != nil {
			return err
		}
	}
	return nil
}

// post writes which records of a chunk have a term.
func (w *writer) post(c *chunk, key string, set *bitmap) error {
	id, err := w.term(key)
	if err != nil {
		return err
	}
	if c.known > 0 {
		var before []byte
		err := w.getPosting.QueryRowContext(w.ctx, id, c.id).Scan(&before)
		if err == nil {
			err = set.unite(before)
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	w.buf = set.encode(w.buf[:0])
	_, err = w.putPosting.ExecContext(w.ctx, id, c.id, w.buf)
	return err
}

// term returns the id of a term, which is made if need be.
func (w *writer) term(key string) (int64, error) {
	if id, ok := w.ids[key]; ok {
		return id, nil
	}
	var id int64
	err := w.getTerm.QueryRowContext(w.ctx, key[0], key[1:]).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = w.putTerm.QueryRowContext(w.ctx, key[0], key[1:]).Scan(&id)
	}
	w.ids[key] = id
	return id, err
}
