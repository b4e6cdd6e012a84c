package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"slices"

	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/state"
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
	until   int64  // read no further; 0 = all
	chunk   *chunk // where it goes on
}

// known is what the index says of a segment.
type known struct {
	done, size        int64
	hash              ledger.Hash
	damaged, trailing int
	chunks            []head
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
		return nil, errStale
	}
	if err != nil {
		return nil, damage(err)
	}
	have := map[int]*known{}
	if id := ledgerID(ix.dir); id != "" && id != p.ledger {
		p.reset, p.ledger = true, id
	} else if have, err = knownSegments(ctx, tx, ix.secret); err != nil {
		return nil, err
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
			if j.chunk, err = ix.lastOf(ctx, tx, s.Number, k); err != nil {
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
func knownSegments(ctx context.Context, tx queryer, secret *state.Secret) (map[int]*known, error) {
	rows, err := tx.QueryContext(ctx, "SELECT number, data FROM segment")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	have := make(map[int]*known)
	for rows.Next() {
		var number int
		var data sql.RawBytes
		if err := rows.Scan(&number, &data); err != nil {
			return nil, damage(err)
		}
		body, err := opened(secret, segmentName(number), data)
		if err == nil {
			have[number], err = decodeKnown(body)
		}
		if err != nil {
			return nil, err
		}
	}
	return have, rows.Err()
}

// part reads a part of a chunk.
func part(ctx context.Context, tx queryer, secret *state.Secret, k kind, chunk int64, h *head) ([]byte, error) {
	var data []byte
	if err := tx.QueryRowContext(ctx, "SELECT data FROM part WHERE id = ?", partID(k, chunk)).Scan(&data); err != nil {
		return nil, damage(err)
	}
	return opened(secret, partName(k, chunk, h), data)
}

// lastOf is the chunk in which a segment goes on.
func (ix *Index) lastOf(ctx context.Context, tx queryer, segment int, k *known) (*chunk, error) {
	c := newChunk(firstChunk(segment))
	c.from, c.done, c.damaged, c.hash = k.done, k.done, k.damaged, k.hash // what trails is read again
	if len(k.chunks) == 0 {
		return c, nil // nothing in it could be read
	}
	last := len(k.chunks) - 1
	h := &k.chunks[last]
	c.id, c.before, c.n, c.span = c.id+int64(last), k.chunks[:last:last], h.n, h.span
	if c.n == chunkSize {
		return c.next(), nil
	}
	for _, kind := range kinds {
		body, err := part(ctx, tx, ix.secret, kind, c.id, h)
		if err == nil {
			err = c.restore(kind, body)
		}
		if err != nil {
			return nil, err
		}
	}
	c.known = c.n
	return c, nil
}

// restore puts back what a part says of a chunk.
func (c *chunk) restore(k kind, body []byte) error {
	switch k {
	case partPlaces:
		places, err := decodePlaces(nil, body, c.n)
		if err != nil || len(places) == 0 {
			return errDamaged
		}
		c.places, c.last = body, places[len(places)-1]
	case partDigests:
		if len(body) != digestLen*c.n {
			return errDamaged
		}
		c.digests = body
	default:
		return eachTerm(body, func(text, bits []byte) error {
			set := new(bitmap)
			c.terms[string(byte(k))+string(text)] = set
			return set.unite(bits)
		})
	}
	return nil
}

// stillThere reports whether the last record that was indexed of a segment
// stands where it stood. If not, the segment was cut, or it is another one.
func (ix *Index) stillThere(segment int, k *known) bool {
	if k.done == 0 {
		return true
	}
	hash := k.hash.String()
	tail := min(k.done, int64(len(hash)+len("\"}\n")))
	data, err := ledger.ReadAt(ix.dir, ledger.Position{Segment: segment, Offset: k.done - tail}, int(tail))
	return err == nil && bytes.Contains(data, []byte(hash))
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

// read hands over what each makes.
func (j *job) read(ctx context.Context, dir string, out chan<- *chunk) error {
	return j.each(dir, func(c *chunk) error {
		select {
		case out <- c:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// each fills chunks from a job's segment and sends them, the last one with the
// segment's size, also when there is nothing new in it.
func (j *job) each(dir string, send func(*chunk) error) error {
	c := j.chunk
	r := ledger.NewReader(dir, ledger.Position{Segment: j.segment, Offset: c.done})
	defer r.Close()
	for {
		e, err := r.Next()
		if errors.Is(err, ledger.ErrShorter) {
			return errMoved
		}
		if err == io.EOF || err == nil && (e.At.Segment != j.segment || j.until > 0 && e.End() > j.until) {
			c.size = j.size
			return send(c)
		}
		if err != nil {
			return err
		}
		if e.Damaged {
			c.trailing++
			continue
		}
		if c.n == chunkSize {
			if err := send(c); err != nil {
				return err
			}
			c = c.next()
		}
		c.add(&e)
	}
}
