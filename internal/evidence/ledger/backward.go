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
	rarest  int // the index of the byte of the first needle that is rarest in the ledger
	seals   *Seals

	file    *os.File // nil means that the next segment must be opened
	voucher Voucher
	at      Position // the end of what is not read yet
	lineBlock
	ahead chan lineBlock // has the block before at, which is read while the caller searches; nil means none
	spare []byte         // the memory for that block
}

// A lineBlock is a part of a segment that begins with a line.
type lineBlock struct {
	from   int64 // its offset
	lines  []byte
	memory []byte // of which lines are a part
	err    error
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
	r := &BackwardReader{dir: dir, left: segments, needles: needles, rarest: -1, seals: ReadSeals(dir)}
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
	if r.ahead != nil {
		r.spare = (<-r.ahead).memory
		r.ahead = nil
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
	r.takeBlock()
	if r.err != nil {
		return nil, r.err
	}
	r.chooseRarest()
	var out []Entry
	for line := range r.matchingLines() {
		raw := r.lines[line[0]:line[1]]
		parsed, err := ParseLine(raw)
		if err != nil || r.voucher.IsForged(&parsed) {
			continue
		}
		at := Position{r.at.Segment, r.from + int64(line[0])}
		out = append(out, Entry{At: at, Size: len(raw) + 1, Line: parsed})
	}
	slices.Reverse(out)
	if r.at.Offset = r.from; r.from == 0 {
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

// takeBlock sets r.lineBlock to the lines before r.at, as many as fit. It has those before them read
// while the caller searches.
func (r *BackwardReader) takeBlock() {
	last := r.memory
	if r.ahead == nil {
		r.lineBlock = readBlock(r.file, r.at.Offset, last)
	} else {
		r.lineBlock, r.spare = <-r.ahead, last
		r.ahead = nil
	}
	if r.err == nil && r.from > 0 {
		ahead, file, end, spare := make(chan lineBlock, 1), r.file, r.from, r.spare
		go func() { ahead <- readBlock(file, end, spare) }()
		r.ahead = ahead
	}
}

// readBlock reads the lines of a segment before the offset end into memory, as many as fit. A line
// longer than the longest valid one is split.
func readBlock(segment *os.File, end int64, memory []byte) lineBlock {
	for size := int64(backwardBlock); ; size *= 2 {
		from := max(0, end-size)
		memory = slices.Grow(memory[:0], int(end-from))[:end-from]
		n, err := segment.ReadAt(memory, from)
		if err != nil && err != io.EOF {
			return lineBlock{0, nil, memory, err}
		}
		lines := memory[:n]
		if from == 0 {
			return lineBlock{0, lines, memory, nil}
		}
		if i := bytes.IndexByte(lines, '\n'); i >= 0 && i+1 < n || size > 2*MaxLine {
			return lineBlock{from + int64(i) + 1, lines[i+1:], memory, nil}
		}
	}
}

// chooseRarest sets r.rarest by how often the bytes of the first needle are in r.lines.
func (r *BackwardReader) chooseRarest() {
	if r.rarest >= 0 || len(r.needles) == 0 {
		return
	}
	var counts [256]int
	for _, c := range r.lines {
		counts[c]++
	}
	r.rarest = 0
	for i, c := range r.needles[0] {
		if counts[c] < counts[r.needles[0][r.rarest]] {
			r.rarest = i
		}
	}
}

// findNeedle returns the index of the first needle in r.lines at or after start, or -1. It looks for the
// needle's rarest byte, which takes a fourth of the time that [bytes.Index] takes for a needle such as
// `"decision":"ask"`, whose first bytes are everywhere.
func (r *BackwardReader) findNeedle(start int) int {
	needle := r.needles[0]
	for at := start + r.rarest; at < len(r.lines); at++ {
		i := bytes.IndexByte(r.lines[at:], needle[r.rarest])
		if i < 0 {
			return -1
		}
		at += i
		if bytes.HasPrefix(r.lines[at-r.rarest:], needle) {
			return at - r.rarest
		}
	}
	return -1
}

// matchingLines yields the start and the end of each complete line of r.lines that contains all needles.
func (r *BackwardReader) matchingLines() func(yield func([2]int) bool) {
	return func(yield func([2]int) bool) {
		for start := 0; start < len(r.lines); {
			if len(r.needles) > 0 { // skip to the line of the next match
				i := r.findNeedle(start)
				if i < 0 {
					return
				}
				start += bytes.LastIndexByte(r.lines[start:i], '\n') + 1
			}
			n := bytes.IndexByte(r.lines[start:], '\n')
			if n < 0 {
				return // a writer has not finished the last line
			}
			line := r.lines[start : start+n]
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
