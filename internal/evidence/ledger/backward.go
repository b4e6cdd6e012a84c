package ledger

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
)

// backwardBlock is how many bytes a BackwardReader reads at once.
const backwardBlock = 1 << 20

// A BackwardReader reads the records of a ledger, newest first, without an index. It is not safe for
// concurrent use.
type BackwardReader struct {
	dir     string
	left    []Segment // segments that are not read yet, oldest first
	needles [][]byte
	seals   *Seals

	file    *os.File // nil means that the next segment must be opened
	voucher Voucher
	at      Position // the end of what is not read yet
	buf     []byte
}

// NewBackwardReader returns a reader of the records of the ledger in dir that end at or before the
// position before; the zero Position means all records. A record must contain each of needles, such as
// `"decision":"deny"`. Because needles are searched in the text of a line, callers check what they
// find.
func NewBackwardReader(dir string, before Position, needles ...[]byte) (*BackwardReader, error) {
	segments, err := Segments(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r := &BackwardReader{dir: dir, left: segments, needles: needles, seals: ReadSeals(dir)}
	if before.Segment > 0 {
		r.left = slices.DeleteFunc(r.left, func(s Segment) bool { return s.Number > before.Segment })
		if n := len(r.left); n > 0 && r.left[n-1].Number == before.Segment {
			r.left[n-1].Size = min(r.left[n-1].Size, before.Offset)
		}
	}
	return r, nil
}

// Close closes the reader.
func (r *BackwardReader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// Next returns the records of the next block that contain all needles, newest first; there may be
// none. Damaged and forged lines are left out. The lines are valid until the next call. At the
// beginning of the ledger, the error is io.EOF.
func (r *BackwardReader) Next() ([]Entry, error) {
	for r.file == nil {
		if len(r.left) == 0 {
			return nil, io.EOF
		}
		if err := r.openSegment(); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have been pruned
			return nil, err
		}
	}
	from, err := r.readBlock()
	if err != nil {
		return nil, err
	}
	var out []Entry
	for line := range r.matchingLines() {
		raw := r.buf[line[0]:line[1]]
		parsed, err := ParseLine(raw)
		if err != nil || r.voucher.IsForged(&parsed) {
			continue
		}
		at := Position{r.at.Segment, from + int64(line[0])}
		out = append(out, Entry{At: at, Size: len(raw) + 1, Line: parsed})
	}
	slices.Reverse(out)
	if r.at.Offset = from; from == 0 {
		return out, r.Close()
	}
	return out, nil
}

// openSegment opens the newest segment that is left.
func (r *BackwardReader) openSegment() (err error) {
	last := len(r.left) - 1
	s := r.left[last]
	r.left = r.left[:last]
	if r.file, err = OpenSegment(r.dir, s.Number); err != nil {
		r.file = nil
		return err
	}
	r.voucher = NewVoucher(r.seals, r.file)
	r.at = Position{s.Number, s.Size}
	return nil
}

// readBlock reads the lines before r.at into r.buf, as many as fit, and returns the offset of the
// first. A line longer than the longest valid one is split.
func (r *BackwardReader) readBlock() (from int64, err error) {
	for size := int64(backwardBlock); ; size *= 2 {
		from = max(0, r.at.Offset-size)
		r.buf = slices.Grow(r.buf[:0], int(r.at.Offset-from))[:r.at.Offset-from]
		n, err := r.file.ReadAt(r.buf, from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if r.buf = r.buf[:n]; from == 0 {
			return 0, nil
		}
		if i := bytes.IndexByte(r.buf, '\n'); i >= 0 && i+1 < len(r.buf) || size > 2*MaxLine {
			r.buf = r.buf[i+1:]
			return from + int64(i) + 1, nil
		}
	}
}

// matchingLines yields the start and the end of each complete line of r.buf that contains all needles.
func (r *BackwardReader) matchingLines() func(yield func([2]int) bool) {
	return func(yield func([2]int) bool) {
		for start := 0; start < len(r.buf); {
			if len(r.needles) > 0 { // skip to the line of the next match
				i := bytes.Index(r.buf[start:], r.needles[0])
				if i < 0 {
					return
				}
				start += bytes.LastIndexByte(r.buf[start:start+i], '\n') + 1
			}
			n := bytes.IndexByte(r.buf[start:], '\n')
			if n < 0 {
				return // a writer has not finished the last line
			}
			line := r.buf[start : start+n]
			lacks := func(needle []byte) bool { return !bytes.Contains(line, needle) }
			if !slices.ContainsFunc(r.needles, lacks) && !yield([2]int{start, start + n}) {
				return
			}
			start += n + 1
		}
	}
}

// Position returns the position before which the reader goes on.
func (r *BackwardReader) Position() Position { return r.at }
