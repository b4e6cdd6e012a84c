package index

import (
	"context"
	"maps"
	"slices"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A walk goes through the chunks that may hold an answer, in the order asked
// for. A file that changed since the walk began ends it with errMoved.
type walk struct {
	ctx    context.Context
	files  *store
	have   map[int]*sheet
	bounds span
	oldest bool
	wanted []wanted
	left   []found // chunks that were not seen yet
	set    bitmap  // the records of the chunk at hand that have all terms

	file   *state.File // of the segment at hand, if it is open
	number int         // of that segment
	buf    []byte      // scratch
	places []place     // scratch
	order  []int       // scratch
}

// A found is a chunk that may hold an answer.
type found struct {
	id int64
	head
}

func (ix *Index) newWalk(ctx context.Context, have map[int]*sheet, f *Filter) *walk {
	w := &walk{ctx: ctx, files: &ix.files, have: have, bounds: f.bounds(), oldest: f.Oldest, wanted: f.wanted()}
	for _, number := range slices.Sorted(maps.Keys(have)) {
		for i, h := range have[number].chunks {
			if w.bounds.meets(&h.span) {
				w.left = append(w.left, found{id: firstChunk(number) + int64(i), head: h})
			}
		}
	}
	if !f.Oldest {
		slices.Reverse(w.left)
	}
	return w
}

// shut closes the file at hand. None is open while somebody looks at an answer, who may
// take his time: on some systems an open file cannot be replaced.
func (w *walk) shut() {
	if w.file != nil {
		w.file.Close()
		w.file = nil
	}
}

// skipTo leaves out the chunks of the segments before one.
func (w *walk) skipTo(segment int) {
	w.left = slices.DeleteFunc(w.left, func(c found) bool {
		if w.oldest {
			return segmentOf(c.id) < segment
		}
		return segmentOf(c.id) > segment
	})
}

// next goes to the next chunk, which may have nothing; nil = that was all.
func (w *walk) next() (*found, error) {
	if err := w.ctx.Err(); err != nil || len(w.left) == 0 {
		return nil, err
	}
	c := &w.left[0]
	w.left = w.left[1:]
	w.set.fill(c.n)
	for i := range w.wanted {
		if w.set.empty() {
			break
		}
		body, err := w.part(kind(w.wanted[i].field), c)
		var having bitmap
		if err == nil {
			err = w.wanted[i].have(body, &having)
		}
		if err != nil {
			return nil, err
		}
		w.set.intersect(&having)
	}
	return c, nil
}

// part reads a part of a chunk. It is valid until the next one is read.
func (w *walk) part(k kind, c *found) ([]byte, error) {
	number := segmentOf(c.id)
	sh := w.have[number]
	if w.file == nil || w.number != number {
		w.shut()
		var err error
		if w.file, err = w.files.again(number, sh); err != nil {
			w.file = nil
			return nil, err
		}
		w.number = number
	}
	from, to := sh.part(k, int(c.id-firstChunk(number)))
	w.buf = slices.Grow(w.buf[:0], int(to-from))[:to-from]
	if err := readAt(w.file, w.buf, from); err != nil {
		return nil, err
	}
	return opened(w.files.secret, partName(k, c.id, &c.head), w.buf)
}

// hits calls yield for the answers in the chunk at hand, in order, until it
// returns false.
func (w *walk) hits(c *found, yield func(p *place) bool) error {
	if w.set.empty() {
		return nil
	}
	data, err := w.part(partPlaces, c)
	if err != nil {
		return err
	}
	if w.places, err = decodePlaces(w.places[:0], data, c.n); err != nil {
		return err
	}
	w.order = w.set.positions(w.order[:0])
	if !w.oldest {
		slices.Reverse(w.order)
	}
	w.shut()
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
