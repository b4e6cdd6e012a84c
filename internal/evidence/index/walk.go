package index

import (
	"context"
	"maps"
	"slices"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A walk visits the chunks that may contain results, in the requested order. If a file changed since
// the walk began, the walk ends with errChanged.
type walk struct {
	ctx    context.Context
	files  *store
	have   map[int]*sheet
	bounds span
	oldest bool
	wanted []termList
	left   []foundChunk // chunks that were not visited yet
	set    bitmap       // the records of the current chunk that have all terms

	file   *state.File // of the current segment, if it is open
	number int         // of that segment
	buf    []byte      // scratch
	places []place     // scratch
	order  []int       // scratch
}

// A foundChunk is a chunk that may contain results.
type foundChunk struct {
	id int64
	head
}

// newWalk returns a walk over the chunks in have that may contain results of f.
func (ix *Index) newWalk(ctx context.Context, have map[int]*sheet, f *Filter) *walk {
	w := &walk{ctx: ctx, files: &ix.files, have: have, bounds: f.timeSpan(), oldest: f.Oldest, wanted: f.termLists()}
	for _, number := range slices.Sorted(maps.Keys(have)) {
		for i, h := range have[number].chunks {
			if w.bounds.overlaps(&h.span) {
				w.left = append(w.left, foundChunk{id: firstChunk(number) + int64(i), head: h})
			}
		}
	}
	if !f.Oldest {
		slices.Reverse(w.left)
	}
	return w
}

// closeFile closes the current file. No file stays open while the caller handles a result, which may
// take long, because on some systems an open file cannot be replaced.
func (w *walk) closeFile() {
	if w.file != nil {
		w.file.Close()
		w.file = nil
	}
}

// skipTo skips the chunks of the segments that the walk would visit before segment.
func (w *walk) skipTo(segment int) {
	w.left = slices.DeleteFunc(w.left, func(c foundChunk) bool {
		if w.oldest {
			return chunkSegment(c.id) < segment
		}
		return chunkSegment(c.id) > segment
	})
}

// nextChunk sets w.set to the results in the next chunk, which may be none, and returns that chunk. It
// returns nil at the end.
func (w *walk) nextChunk() (*foundChunk, error) {
	if err := w.ctx.Err(); err != nil || len(w.left) == 0 {
		return nil, err
	}
	c := &w.left[0]
	w.left = w.left[1:]
	w.set.fillFirst(c.n)
	for i := range w.wanted {
		if w.set.isEmpty() {
			break
		}
		body, err := w.readPart(partKind(w.wanted[i].field), c)
		var having bitmap
		if err == nil {
			err = w.wanted[i].addMatches(body, &having)
		}
		if err != nil {
			return nil, err
		}
		w.set.intersect(&having)
	}
	return c, nil
}

// readPart returns the part of kind k of c. It is valid until the next call.
func (w *walk) readPart(k partKind, c *foundChunk) ([]byte, error) {
	number := chunkSegment(c.id)
	sh := w.have[number]
	if w.file == nil || w.number != number {
		w.closeFile()
		var err error
		if w.file, err = w.files.reopen(number, sh); err != nil {
			w.file = nil
			return nil, err
		}
		w.number = number
	}
	from, to := sh.partRange(k, int(c.id-firstChunk(number)))
	w.buf = slices.Grow(w.buf[:0], int(to-from))[:to-from]
	if err := readFullAt(w.file, w.buf, from); err != nil {
		return nil, err
	}
	return verifyDigest(w.files.secret, partName(k, c.id, &c.head), w.buf)
}

// eachHit calls yield for the results in c, the current chunk, in order, until yield returns false.
func (w *walk) eachHit(c *foundChunk, yield func(p *place) bool) error {
	if w.set.isEmpty() {
		return nil
	}
	data, err := w.readPart(partPlaces, c)
	if err != nil {
		return err
	}
	if w.places, err = decodePlaces(w.places[:0], data, c.n); err != nil {
		return err
	}
	w.order = w.set.appendPositions(w.order[:0])
	if !w.oldest {
		slices.Reverse(w.order)
	}
	w.closeFile()
	for _, i := range w.order {
		if i >= len(w.places) {
			return errDamaged
		}
		if p := &w.places[i]; w.bounds.contains(p) && !yield(p) {
			return nil
		}
	}
	return nil
}
