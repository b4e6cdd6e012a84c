package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// An Entry is a line as it was found.
type Entry struct {
	At      Position
	Size    int  // in bytes, with the newline
	Damaged bool // it is no record: torn, edited, too long or without newline; of Line only Raw is set
	Forged  bool // it is Damaged, although Line is set: no writer of the ledger wrote that
	Line    Line // its Raw is valid until the next call of Next
}

// End is where the next line begins.
func (e *Entry) End() int64 { return e.At.Offset + int64(e.Size) }

// A Reader reads the lines of a ledger in order, also of one that is written to.
// It is for one goroutine.
type Reader struct {
	dir  string
	pos  Position
	file *os.File // nil = to be opened
	full bool     // no writer adds to file
	boot string

	seals   *Seals // nil = to be read, or not here
	voucher Voucher
	lineBuffer
}

// NewReader returns a reader that begins at a position: that of a line, or its
// end. A position in a segment that is gone means the next one.
func NewReader(dir string, from Position) *Reader { return &Reader{dir: dir, pos: from} }

// Next returns the next line. After the last whole line it returns io.EOF and
// holds no file; call it again to see what was added since. Where a segment is
// shorter than the position, that is an ErrShorter.
func (r *Reader) Next() (Entry, error) {
	for {
		if r.file == nil {
			if err := r.open(); err != nil {
				return Entry{}, err
			}
		}
		if raw, size := r.cut(); size > 0 {
			return r.entry(raw, size), nil
		}
		err := r.fill(r.file, r.pos.Offset)
		switch {
		case err == nil:
		case err != io.EOF:
			r.Close()
			return Entry{}, fmt.Errorf("segment %d of the ledger: %w", r.pos.Segment, err)
		case !r.full:
			r.Close()
			return Entry{}, io.EOF
		case len(r.unread) > 0: // nobody will finish this line
			return r.entry(r.unread, len(r.unread)), nil
		default:
			r.Close()
			r.pos = Position{Segment: r.pos.Segment + 1}
		}
	}
}

// Position is where the next line begins. A reader that starts there goes on
// where this one stopped.
func (r *Reader) Position() Position { return r.pos }

// Rest is what stood after the last whole line when Next returned io.EOF: the
// beginning of a line that is being written, or whose writer died. It is valid
// until the next call of Next.
func (r *Reader) Rest() []byte { return r.unread }

// Close lets go of the file, if one is open. Next would open it again.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// open opens the segment to read from, or the first one after it.
func (r *Reader) open() error {
	r.unread = nil
	f, full, err := openSegment(r.dir, r.pos.Segment)
	if errors.Is(err, fs.ErrNotExist) {
		segments, err := Segments(r.dir)
		if err != nil {
			return err
		}
		next := 0
		for _, s := range segments {
			if next == 0 && s.Number > r.pos.Segment {
				next = s.Number
			}
		}
		if next == 0 {
			return io.EOF
		}
		r.pos = Position{Segment: next}
		return r.open()
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() < r.pos.Offset {
		err = fmt.Errorf("segment %d, offset %d: %w", r.pos.Segment, r.pos.Offset, ErrShorter)
	}
	if err != nil {
		f.Close()
		return err
	}
	if r.seals == nil {
		r.seals = ReadSeals(r.dir)
	}
	r.file, r.full, r.voucher = f, full, NewVoucher(r.seals, f)
	return nil
}

// entry takes size bytes from what is unread.
func (r *Reader) entry(raw []byte, size int) Entry {
	e := Entry{At: r.pos, Size: size}
	if line, err := parseLine(raw, r.boot); err == nil && size > len(raw) {
		e.Line, r.boot = line, line.Boot
		e.Forged = r.voucher.Forged(&line)
		e.Damaged = e.Forged
	} else {
		e.Line.Raw, e.Damaged = raw, true
	}
	r.unread = r.unread[size:]
	r.pos.Offset += int64(size)
	return e
}

// A lineBuffer cuts what was read into lines.
type lineBuffer struct {
	buf    []byte
	unread []byte // a part of buf
}

// chunk is how much is read at once.
const chunk = 256 << 10

// cut returns the next line without its newline, and its size with it; 0 = more
// must be read. What is too long for a line comes in pieces.
func (b *lineBuffer) cut() (raw []byte, size int) {
	if i := bytes.IndexByte(b.unread, '\n'); i >= 0 {
		return b.unread[:i], i + 1
	}
	if len(b.unread) > MaxLine {
		return b.unread, len(b.unread)
	}
	return nil, 0
}

// fill reads what comes after the unread bytes, which stand at an offset.
func (b *lineBuffer) fill(f io.ReaderAt, offset int64) error {
	if len(b.unread)+chunk > len(b.buf) {
		buf := make([]byte, 2*max(len(b.buf), chunk))
		b.unread = buf[:copy(buf, b.unread)]
		b.buf = buf
	}
	held := copy(b.buf, b.unread)
	n, err := f.ReadAt(b.buf[held:], offset+int64(held))
	b.unread = b.buf[:held+n]
	if n > 0 {
		return nil
	}
	return err
}
