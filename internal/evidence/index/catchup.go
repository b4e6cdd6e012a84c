package index

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// errChanged means that the ledger or the index changed while it was read.
var errChanged = errors.New("changed in the meantime")

// An updatePlan lists what must be done to update the index.
type updatePlan struct {
	ledger string         // id of the ledger
	have   map[int]*sheet // sheets of segments that still exist
	gone   []int          // segments to remove from the index
	jobs   []job
	total  int64 // bytes to read
}

// A job is a segment to read.
type job struct {
	segment int
	size    int64
	until   int64  // where to stop; 0 means at the end
	have    *sheet // where to continue; nil means at the start
	chunk   *chunk
}

// A known describes how much of a segment the index contains.
type known struct {
	ledger            string // id of the ledger that the segment belongs to
	done, size        int64
	hash              ledger.Hash
	damaged, trailing int
	chunks            []head
}

// update brings the index up to date, and returns the sheets of all segments by number. Other
// processes may do so at the same time.
func (ix *Index) update(ctx context.Context) (map[int]*sheet, error) {
	select {
	case ix.turn <- struct{}{}:
		defer func() { <-ix.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p, err := ix.newPlan(ctx)
	if err != nil {
		return nil, err
	}
	return p.have, ix.executePlan(ctx, p)
}

// newPlan compares the ledger with the index, and returns what must be done.
func (ix *Index) newPlan(ctx context.Context) (*updatePlan, error) {
	segments, err := ledger.Segments(ix.dir)
	if err != nil {
		return nil, err
	}
	p := &updatePlan{ledger: ledgerID(ix.dir)}
	if p.have, p.gone, err = ix.loadSheets(ctx, p.ledger); err != nil {
		return nil, err
	}
	seen := make(map[int]bool, len(segments))
	for _, s := range segments {
		seen[s.Number] = true
		have := p.have[s.Number]
		if have != nil && (s.Size == have.size || s.Size == have.done && have.trailing == 0) {
			continue
		}
		j := job{segment: s.Number, size: s.Size}
		p.total += s.Size
		if have != nil && ix.isIndexCurrent(s.Number, &have.known) {
			j.have = have
			p.total -= have.done
		}
		p.jobs = append(p.jobs, j)
	}
	p.gone = slices.DeleteFunc(p.gone, func(number int) bool { return seen[number] }) // these are replaced
	for number := range p.have {
		if !seen[number] {
			p.gone = append(p.gone, number)
			delete(p.have, number)
		}
	}
	return p, nil
}

// loadSheets reads the sheets of all segments. rest are the segments whose sheets are of another
// version or ledger.
func (ix *Index) loadSheets(ctx context.Context, ledger string) (have map[int]*sheet, rest []int, err error) {
	numbers, err := ix.files.listSegments()
	if err != nil {
		return nil, nil, err
	}
	have = make(map[int]*sheet, len(numbers))
	for _, number := range numbers {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		sh, err := ix.files.loadSheet(number)
		switch {
		case errors.Is(err, errStale), err == nil && ledger != "" && sh.ledger != ledger:
			rest = append(rest, number)
		case err != nil:
			return nil, nil, err
		default:
			have[number] = sh
		}
	}
	return have, rest, nil
}

// executePlan removes the files of segments that are gone, and reads new segments with all processors,
// since reading takes longest. Their order does not matter. An interrupted update continues after the
// segments that were read.
func (ix *Index) executePlan(ctx context.Context, p *updatePlan) error {
	for _, number := range p.gone {
		if err := ix.files.removeFile(number); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type result struct {
		job *job
		*sheet
	}
	results := make(chan result)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(p.jobs)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(p.jobs)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				sh, err := ix.updateSegment(ctx, &p.jobs[i], p.ledger)
				if err != nil {
					cancel(err)
					return
				}
				results <- result{&p.jobs[i], sh}
			}
		})
	}
	go func() {
		wg.Wait()
		close(results)
	}()
	var done int64
	for r := range results {
		p.have[r.job.segment] = r.sheet
		done += r.sheet.done
		if r.job.have != nil {
			done -= r.job.have.done
		}
		if ix.progress != nil {
			ix.progress(min(done, p.total), p.total) // more may have been added than was planned
		}
	}
	return context.Cause(ctx)
}

// updateSegment reads the segment of j as far as it is not indexed, and writes its file.
func (ix *Index) updateSegment(ctx context.Context, j *job, ledger string) (*sheet, error) {
	j.chunk = newChunk(firstChunk(j.segment))
	parts := make([][][]byte, len(partKinds))
	if j.have != nil {
		if err := ix.resumeJob(j, parts); err != nil {
			return nil, err
		}
	}
	var now *known
	err := j.eachChunk(ix.dir, func(c *chunk) error {
		now = c.toKnown()
		if c.n > 0 {
			h := c.head()
			c.eachPart(func(i int, k partKind, body []byte) {
				parts[i] = append(parts[i], prependDigest(ix.files.secret, partName(k, c.id, &h), body))
			})
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	now.ledger = ledger
	return ix.files.writeFile(j.segment, now, parts)
}

// resumeJob sets the chunk of j to where the index ended, and adds the parts of the chunks before it
// to parts.
func (ix *Index) resumeJob(j *job, parts [][][]byte) error {
	f, err := ix.files.reopen(j.segment, j.have)
	if err != nil {
		return err
	}
	defer f.Close()
	k := j.have
	c := j.chunk
	c.from, c.done, c.damaged, c.hash = k.done, k.done, k.damaged, k.hash // trailing lines are read again
	if len(k.chunks) == 0 {
		return nil // nothing in it was readable
	}
	last := len(k.chunks) - 1
	h := &k.chunks[last]
	c.id, c.before, c.n, c.span = c.id+int64(last), k.chunks[:last:last], h.n, h.span
	c.known = c.n
	if c.n == chunkSize {
		j.chunk = c.newSuccessor()
	}
	all := make([]byte, k.at[len(k.at)-1]-k.at[0])
	if err := readFullAt(f, all, k.at[0]); err != nil {
		return err
	}
	for i, kind := range partKinds {
		for n := range k.chunks {
			from, to := k.partRange(kind, n)
			data := all[from-k.at[0] : to-k.at[0]]
			if n < len(j.chunk.before) {
				parts[i] = append(parts[i], data)
				continue
			}
			body, err := verifyDigest(ix.files.secret, partName(kind, c.id, h), data)
			if err == nil {
				err = c.restorePart(kind, body)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// restorePart sets the part of kind k from its encoding body.
func (c *chunk) restorePart(k partKind, body []byte) error {
	switch k {
	case partPlaces:
		places, err := decodePlaces(nil, body, c.n)
		if err != nil || len(places) == 0 {
			return errDamaged
		}
		c.places, c.last = slices.Clone(body), places[len(places)-1]
	case partDigests:
		if len(body) != digestLen*c.n {
			return errDamaged
		}
		c.digests = slices.Clone(body)
	default:
		return eachTerm(body, func(text, bits []byte) error {
			set := new(bitmap)
			c.terms[string(byte(k))+string(text)] = set
			return set.addEncoded(bits)
		})
	}
	return nil
}

// isIndexCurrent reports whether the last record of the segment that k describes is still in its
// place. If not, the segment was truncated or replaced.
func (ix *Index) isIndexCurrent(segment int, k *known) bool {
	if k.done == 0 {
		return true
	}
	hash := k.hash.String()
	tail := min(k.done, int64(len(hash)+len("\"}\n")))
	data, err := ledger.ReadAt(ix.dir, ledger.Position{Segment: segment, Offset: k.done - tail}, int(tail))
	return err == nil && bytes.Contains(data, []byte(hash))
}

// ledgerID returns the id in the first record of the ledger in dir, or "" if there is none.
func ledgerID(dir string) string {
	r := ledger.NewReader(dir, ledger.Position{})
	defer r.Close()
	first, err := r.Next()
	if err != nil || first.Damaged || first.Line.Kind != ledger.KindSegment {
		return ""
	}
	return first.Line.Text("ledger")
}

// eachChunk reads the segment of j from the ledger in dir, fills chunks with its records, and passes
// them to send. The last chunk has the segment's size, even if it contains nothing new.
func (j *job) eachChunk(dir string, send func(*chunk) error) error {
	c := j.chunk
	r := ledger.NewReader(dir, ledger.Position{Segment: j.segment, Offset: c.done})
	defer r.Close()
	for {
		e, err := r.Next()
		if errors.Is(err, ledger.ErrShorter) {
			return errChanged
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
			c = c.newSuccessor()
		}
		c.addEntry(&e)
	}
}
