package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"slices"

	"github.com/checkrein/checkrein/internal/ledger"
)

// errMoved says that the ledger or the index is not any more as it was planned
// for.
var errMoved = errors.New("changed meanwhile")

// A plan is what has to be done to the index.
type plan struct {
	generation int64  // of the index; another process would change it
	ledger     string // whose index it becomes
	reset      bool   // it was another ledger's
	gone       []int  // segments to forget
	jobs       []job
	total      int64 // bytes to read
}

// A job is a segment to read on.
type job struct {
	segment int
	size    int64
	chunk   *chunk // where it goes on
}

// known is what the index says of a segment.
type known struct {
	done, size        int64
	hash              []byte
	damaged, trailing int
}

// catchUp does what has to be done. Others may do the same at the same time:
// who comes second makes a new plan.
func (ix *Index) catchUp(ctx context.Context, conn *sql.Conn) error {
	select {
	case ix.turn <- struct{}{}:
		defer func() { <-ix.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		p, err := ix.plan(ctx, conn)
		if err != nil || !p.reset && len(p.gone)+len(p.jobs) == 0 {
			return err
		}
		if err := ix.carryOut(ctx, conn, p); !errors.Is(err, errMoved) {
			return err
		}
	}
}

// plan compares the ledger with the index.
func (ix *Index) plan(ctx context.Context, conn *sql.Conn) (*plan, error) {
	segments, err := ledger.Segments(ix.dir)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	p := &plan{}
	err = tx.QueryRowContext(ctx, "SELECT ledger, generation FROM state").Scan(&p.ledger, &p.generation)
	if code(err) == codeError { // there is no such table: somebody has removed the file
		return nil, errDamaged
	}
	if err != nil {
		return nil, damage(err)
	}
	have, err := knownSegments(ctx, tx)
	if err != nil {
		return nil, err
	}
	if id := ledgerID(ix.dir); id != "" && id != p.ledger {
		p.reset, p.ledger = true, id
		clear(have)
	}
	for _, s := range segments {
		k, indexed := have[s.Number]
		delete(have, s.Number)
		if indexed && (s.Size == k.size || s.Size == k.done && k.trailing == 0) {
			continue
		}
		j := job{segment: s.Number, size: s.Size, chunk: newChunk(firstChunk(s.Number))}
		if indexed && !ix.stillThere(s.Number, k) {
			p.gone = append(p.gone, s.Number)
		} else if indexed {
			if j.chunk, err = lastOf(ctx, tx, s.Number, k); err != nil {
				return nil, err
			}
		}
		p.jobs = append(p.jobs, j)
		p.total += s.Size - j.chunk.done
	}
	for number := range have {
		p.gone = append(p.gone, number)
	}
	slices.Sort(p.gone)
	return p, nil
}

// knownSegments reads what the index says of all segments.
func knownSegments(ctx context.Context, tx queryer) (map[int]known, error) {
	rows, err := tx.QueryContext(ctx, "SELECT number, done, hash, size, damaged, trailing FROM segment")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	have := make(map[int]known)
	for rows.Next() {
		var number int
		var k known
		if err := rows.Scan(&number, &k.done, &k.hash, &k.size, &k.damaged, &k.trailing); err != nil {
			return nil, damage(err)
		}
		have[number] = k
	}
	return have, rows.Err()
}

// lastOf is the chunk in which a segment goes on.
func lastOf(ctx context.Context, tx queryer, segment int, k known) (*chunk, error) {
	c := newChunk(firstChunk(segment))
	c.from, c.done, c.damaged = k.done, k.done, k.damaged // what trails is read again
	copy(c.hash[:], k.hash)
	err := tx.QueryRowContext(ctx, `SELECT id, n, time_min, time_max, places.data, digests.data
		FROM chunk JOIN places ON places.chunk = id JOIN digests ON digests.chunk = id
		WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1`, firstChunk(segment), lastChunk(segment)).
		Scan(&c.id, &c.n, &c.timeMin, &c.timeMax, &c.places, &c.digests)
	if errors.Is(err, sql.ErrNoRows) {
		return c, nil // nothing in it could be read
	}
	if err != nil {
		return nil, damage(err)
	}
	if c.n == chunkSize {
		return c.next(), nil
	}
	places, err := decodePlaces(nil, c.places, c.n)
	if err != nil || len(places) == 0 || len(c.digests) != digestLen*c.n {
		return nil, errDamaged
	}
	c.known, c.last = c.n, places[len(places)-1]
	return c, nil
}

// stillThere reports whether the last record that was indexed of a segment
// stands where it stood. If not, the segment was cut, or it is another one.
func (ix *Index) stillThere(segment int, k known) bool {
	if k.done == 0 {
		return true
	}
	var hash ledger.Hash
	copy(hash[:], k.hash)
	tail := min(k.done, int64(len(hash.String())+len("\"}\n")))
	data, err := ledger.ReadAt(ix.dir, ledger.Position{Segment: segment, Offset: k.done - tail}, int(tail))
	return err == nil && bytes.Contains(data, []byte(hash.String()))
}

// ledgerID is what the first record of a ledger says; "" = there is none.
func ledgerID(dir string) string {
	r := ledger.NewReader(dir, ledger.Position{})
	defer r.Close()
	first, err := r.Next()
	if err != nil || first.Damaged || first.Line.Kind != ledger.KindSegment {
		return ""
	}
	return first.Line.Text("ledger")
}

// read fills chunks from a job's segment and hands them over, the last one
// with the segment's size, also when there is nothing new in it.
func (j *job) read(ctx context.Context, dir string, out chan<- *chunk) error {
	c := j.chunk
	r := ledger.NewReader(dir, ledger.Position{Segment: j.segment, Offset: c.done})
	defer r.Close()
	send := func() error {
		select {
		case out <- c:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for {
		e, err := r.Next()
		if errors.Is(err, ledger.ErrShorter) {
			return errMoved
		}
		if err == io.EOF || err == nil && e.At.Segment != j.segment {
			c.size = j.size
			return send()
		}
		if err != nil {
			return err
		}
		if e.Damaged {
			c.trailing++
			continue
		}
		if c.n == chunkSize {
			if err := send(); err != nil {
				return err
			}
			c = c.next()
		}
		c.add(&e)
	}
}
