package scan

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Members of an archive come from a program of their own, since what unpacks them
// costs a start that few need, and since archives of strangers are safer there.
// It writes frames: a byte that says what it is, a length, and so many bytes.
const (
	frameMember = 'M' // a member's path; its content follows
	frameData   = 'D'
	frameError  = 'E' // what went wrong
	frameEnd    = 'Z' // all is said; without it, something was lost
)

const maxFrame = 1 << 20

// FrameWriter writes frames.
type FrameWriter struct{ out *bufio.Writer }

// NewFrameWriter returns a writer; Close ends it.
func NewFrameWriter(w io.Writer) *FrameWriter { return &FrameWriter{bufio.NewWriterSize(w, 64<<10)} }

func (f *FrameWriter) frame(kind byte, data []byte) error {
	var head [1 + binary.MaxVarintLen64]byte
	head[0] = kind
	n := binary.PutUvarint(head[1:], uint64(len(data)))
	f.out.Write(head[:1+n])
	_, err := f.out.Write(data)
	return err
}

// Member writes a member.
func (f *FrameWriter) Member(path string, content io.Reader) error {
	if err := f.frame(frameMember, []byte(path[:min(len(path), maxFrame)])); err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := content.Read(buf)
		if n > 0 {
			if err := f.frame(frameData, buf[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Close announces that all is said, or what went wrong.
func (f *FrameWriter) Close(problem error) error {
	if problem != nil {
		text := problem.Error()
		f.frame(frameError, []byte(text[:min(len(text), maxFrame)]))
	}
	f.frame(frameEnd, nil)
	return f.out.Flush()
}

// ReadFrames calls yield with the members in a stream of frames.
func ReadFrames(r io.Reader, yield func(path string, content io.Reader) error) error {
	f := frames{in: bufio.NewReaderSize(r, 64<<10)}
	for {
		if err := f.skip(); err != nil {
			return err
		}
		data := make([]byte, f.left)
		if _, err := io.ReadFull(f.in, data); err != nil {
			return lost(err)
		}
		f.left = 0
		switch f.kind {
		case frameMember:
			if err := yield(string(data), &f); err != nil {
				return err
			}
		case frameError:
			return errors.New(string(data))
		case frameEnd:
			return nil
		default:
			return fmt.Errorf("unknown frame %q", f.kind)
		}
	}
}

// frames reads frames. As a reader, it is the content of the current member.
type frames struct {
	in    *bufio.Reader
	kind  byte
	left  int  // bytes of the frame
	ahead bool // the frame was begun and belongs to nobody yet
}

func (f *frames) next() error {
	if f.ahead {
		return nil
	}
	kind, err := f.in.ReadByte()
	if err != nil {
		return lost(err)
	}
	n, err := binary.ReadUvarint(f.in)
	if err != nil {
		return lost(err)
	}
	if n > maxFrame {
		return fmt.Errorf("a frame of %d bytes", n)
	}
	f.kind, f.left, f.ahead = kind, int(n), true
	return nil
}

// skip goes behind what was not read of a member.
func (f *frames) skip() error {
	for {
		if err := f.next(); err != nil {
			return err
		}
		if f.kind != frameData {
			f.ahead = false
			return nil
		}
		if _, err := f.in.Discard(f.left); err != nil {
			return lost(err)
		}
		f.ahead = false
	}
}

// Read reads the member's content.
func (f *frames) Read(b []byte) (int, error) {
	for {
		if err := f.next(); err != nil {
			return 0, err
		}
		if f.kind != frameData {
			return 0, io.EOF
		}
		if f.left > 0 {
			n, err := f.in.Read(b[:min(len(b), f.left)])
			f.left -= n
			return n, err
		}
		f.ahead = false
	}
}

func lost(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the archive's content was lost: %w", err)
}
