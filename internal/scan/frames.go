package scan

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A separate program unpacks archives, because the code for it would slow down every
// start although few runs need it, and because untrusted archives do less harm there.
// It writes frames: a byte for the kind, a length, and that many bytes.
const (
	frameMember = 'M' // the path of a member; data frames with its content follow
	frameData   = 'D'
	frameError  = 'E' // an error message
	frameEnd    = 'Z' // the end; a stream without it was truncated
)

const maxFrame = 1 << 20

// A FrameWriter writes frames.
type FrameWriter struct{ out *bufio.Writer }

// NewFrameWriter returns a FrameWriter that writes to w. Close ends the stream.
func NewFrameWriter(w io.Writer) *FrameWriter { return &FrameWriter{bufio.NewWriterSize(w, 64<<10)} }

// writeFrame writes a frame of the given kind with data.
func (f *FrameWriter) writeFrame(kind byte, data []byte) error {
	var head [1 + binary.MaxVarintLen64]byte
	head[0] = kind
	n := binary.PutUvarint(head[1:], uint64(len(data)))
	f.out.Write(head[:1+n])
	_, err := f.out.Write(data)
	return err
}

// WriteMember writes a member of an archive with its path and content.
func (f *FrameWriter) WriteMember(path string, content io.Reader) error {
	if err := f.writeFrame(frameMember, []byte(path[:min(len(path), maxFrame)])); err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := content.Read(buf)
		if n > 0 {
			if err := f.writeFrame(frameData, buf[:n]); err != nil {
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

// Close writes problem, if it is not nil, and the end of the stream.
func (f *FrameWriter) Close(problem error) error {
	if problem != nil {
		text := problem.Error()
		f.writeFrame(frameError, []byte(text[:min(len(text), maxFrame)]))
	}
	f.writeFrame(frameEnd, nil)
	return f.out.Flush()
}

// ReadFrames calls yield with each member in r, a stream of frames. It returns the error of yield, the
// problem that the writer reported, or an error if the stream was truncated.
func ReadFrames(r io.Reader, yield func(path string, content io.Reader) error) error {
	f := frameReader{in: bufio.NewReaderSize(r, 64<<10)}
	for {
		if err := f.skipMember(); err != nil {
			return err
		}
		data := make([]byte, f.left)
		if _, err := io.ReadFull(f.in, data); err != nil {
			return truncatedError(err)
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

// A frameReader reads frames. Its Read method returns the content of the current member.
type frameReader struct {
	in    *bufio.Reader
	kind  byte
	left  int  // number of unread bytes of the frame
	ahead bool // the header of the frame was read, but not all of its data
}

// readHeader reads the header of the next frame, unless it was read already.
func (f *frameReader) readHeader() error {
	if f.ahead {
		return nil
	}
	kind, err := f.in.ReadByte()
	if err != nil {
		return truncatedError(err)
	}
	n, err := binary.ReadUvarint(f.in)
	if err != nil {
		return truncatedError(err)
	}
	if n > maxFrame {
		return fmt.Errorf("a frame of %d bytes", n)
	}
	f.kind, f.left, f.ahead = kind, int(n), true
	return nil
}

// skipMember skips the unread content of the current member, and reads the header of the frame after
// it.
func (f *frameReader) skipMember() error {
	for {
		if err := f.readHeader(); err != nil {
			return err
		}
		if f.kind != frameData {
			f.ahead = false
			return nil
		}
		if _, err := f.in.Discard(f.left); err != nil {
			return truncatedError(err)
		}
		f.ahead = false
	}
}

// Read reads the content of the current member.
func (f *frameReader) Read(b []byte) (int, error) {
	for {
		if err := f.readHeader(); err != nil {
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

// truncatedError returns err, which ended a stream early, as an error about the archive.
func truncatedError(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the archive's content was lost: %w", err)
}
