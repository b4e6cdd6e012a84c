package index

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/checkrein/checkrein/internal/state"
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
		w, err := ix.begin(ctx, conn, &p.generation)
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
	ctx    context.Context
	tx     *sql.Tx
	secret *state.Secret

	putSegment, putPart *sql.Stmt
}

// begin waits for its turn. The generation must be as planned, and is then the
// next one.
func (ix *Index) begin(ctx context.Context, conn *sql.Conn, generation *int64) (*writer, error) {
	tx, err := lock(ctx, conn)
	if err != nil {
		return nil, err
	}
	w := &writer{ctx: ctx, tx: tx, secret: ix.secret}
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
		{&w.putSegment, "INSERT OR REPLACE INTO segment (number, data) VALUES (?, ?)"},
		{&w.putPart, "INSERT OR REPLACE INTO part (id, data) VALUES (?, ?)"},
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

// forget removes the segments that are gone.
func (w *writer) forget(p *plan) error {
	if p.reset {
		for _, table := range []string{"segment", "part"} {
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
		for _, k := range kinds {
			if _, err := w.tx.ExecContext(w.ctx, "DELETE FROM part WHERE id BETWEEN ? AND ?", partID(k, firstChunk(number)), partID(k, lastChunk(number))); err != nil {
				return err
			}
		}
	}
	return nil
}

// put writes a chunk, and what is known of its segment then.
func (w *writer) put(c *chunk) error {
	number := segmentOf(c.id)
	if _, err := w.putSegment.ExecContext(w.ctx, number, sealed(w.secret, segmentName(number), c.segment().encode())); err != nil {
		return err
	}
	if c.n == c.known {
		return nil
	}
	h := c.head()
	return c.parts(func(k kind, body []byte) error {
		_, err := w.putPart.ExecContext(w.ctx, partID(k, c.id), sealed(w.secret, partName(k, c.id, &h), body))
		return err
	})
}
