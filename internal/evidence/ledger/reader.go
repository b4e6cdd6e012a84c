package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// An Entry is a line of the ledger, valid or not.
type Entry struct {
	At      Position
	Size    int  // in bytes, with the newline
	Damaged bool // it is not a valid record: torn, edited, too long or without a newline; of Line, only Raw is set
	Forged  bool // it is Damaged because no writer of the ledger wrote it, but well formed: Line is set
	Line    Line // its Raw is valid until the next call of Next
}

// End returns the offset of the line that follows e.
func (e *Entry) End() int64 { return e.At.Offset + int64(e.Size) }

// A Reader reads the lines of a ledger in order, even while the ledger is written to. It is not safe
// for concurrent use.
type Reader struct {
	dir  string
	pos  Position
	file *os.File // nil means not open
	full bool     // no writer adds to file
	boot string

	seals   *Seals // nil means not read yet, or not available
	voucher Voucher
	lineBuffer
}

// NewReader returns a reader of the ledger in dir that begins at from, which must be the beginning or
// the end of a line. If that segment is gone, the reader begins with the next one.
func NewReader(dir string, from Position) *Reader { return &Reader{dir: dir, pos: from} }

// Next returns the next line. After the last complete line it returns io.EOF and closes the segment's
// file; a later call returns lines added since. If a segment is shorter than the position, the error
// is ErrShorter.
func (r *Reader) Next() (Entry, error) {
	for {
		if r.file == nil {
			if err := r.openNext(); err != nil {
				return Entry{}, err
			}
		}
		if raw, size := r.nextLine(); size > 0 {
			return r.takeEntry(raw, size), nil
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
		case len(r.unread) > 0: // this line will not be completed
			return r.takeEntry(r.unread, len(r.unread)), nil
		default:
			r.Close()
			r.pos = Position{Segment: r.pos.Segment + 1}
		}
	}
}

// Position returns where the next line begins. A reader that starts there continues where this one
// stopped.
func (r *Reader) Position() Position { return r.pos }

// UnfinishedLine returns what followed the last complete line when Next returned io.EOF: the beginning
// of a line that is being written, or whose writer died. It is valid until the next call of Next.
func (r *Reader) UnfinishedLine() []byte { return r.unread }

// Close closes the file, if one is open. Next opens it again.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// openNext opens the segment at r.pos, or the first one after it. It returns io.EOF if there is none.
func (r *Reader) openNext() error {
	r.unread = nil
	f, full, err := openSegmentFile(r.dir, r.pos.Segment)
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
		return r.openNext()
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

// takeEntry returns the entry for raw, which takes up the next size unread bytes, and advances r past
// them.
func (r *Reader) takeEntry(raw []byte, size int) Entry {
	e := Entry{At: r.pos, Size: size}
	if line, err := parseLineWithBoot(raw, r.boot); err == nil && size > len(raw) {
		e.Line, r.boot = line, line.Boot
		e.Forged = r.voucher.IsForged(&line)
		e.Damaged = e.Forged
	} else {
		e.Line.Raw, e.Damaged = raw, true
	}
	r.unread = r.unread[size:]
	r.pos.Offset += int64(size)
	return e
}

// A lineBuffer splits what is read from a segment into lines.
type lineBuffer struct {
	buf    []byte
	unread []byte // a part of buf
}

// chunkSize is how much is read at once.
const chunkSize = 256 << 10

// nextLine returns the next unread line without its newline, and its size with the newline. A size of
// 0 means that more must be read. Text that is too long for a line is returned in pieces.
func (b *lineBuffer) nextLine() (raw []byte, size int) {
	if i := bytes.IndexByte(b.unread, '\n'); i >= 0 {
		return b.unread[:i], i + 1
	}
	if len(b.unread) > MaxLine {
		return b.unread, len(b.unread)
	}
	return nil, 0
}

// fill reads from f what follows the unread bytes, which begin at offset in f. It returns an error,
// such as io.EOF, only if it read nothing.
func (b *lineBuffer) fill(f io.ReaderAt, offset int64) error {
	if len(b.unread)+chunkSize > len(b.buf) {
		buf := make([]byte, 2*max(len(b.buf), chunkSize))
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
