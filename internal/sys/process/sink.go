package process

import (
	"errors"
	"io"
	"os"
)

const (
	firstBuffer = 2 << 10
	// wasteBuffer is the size of reads whose bytes are discarded.
	wasteBuffer = 16 << 10
	// maxReady is the maximum number of bytes that readReady reads, in case a writer never
	// stops. No pipe of an unprivileged process holds more.
	maxReady = 1 << 20
)

// A sink reads an output pipe and keeps its first max bytes. It is not safe for concurrent use.
type sink struct {
	r    *os.File
	max  int
	full chan struct{} // if not nil, it is closed when more than max bytes arrive, and reading ends
	done chan struct{} // if not nil, it is closed when readAll has returned

	buf   []byte
	waste []byte
	over  bool // there were more than max bytes
	eof   bool // the end of the pipe was reached
}

// readAll reads until the pipe ends, its deadline passes or its limit is exceeded.
func (k *sink) readAll() {
	k.readWith(k.r.Read)
	if k.done != nil {
		close(k.done)
	}
}

// readReady reads what the pipe holds now, without blocking.
func (k *sink) readReady() {
	read := noWaitReader(k.r)
	budget := maxReady
	k.readWith(func(b []byte) (int, error) {
		if budget <= 0 {
			return 0, os.ErrDeadlineExceeded
		}
		n, err := read(b)
		budget -= n
		return n, err
	})
}

// readWith reads with the function read until it fails or the limit is exceeded.
func (k *sink) readWith(read func([]byte) (int, error)) {
	for !k.isOverLimit() {
		room := k.nextBuffer()
		n, err := read(room)
		k.addRead(n)
		if err != nil {
			k.eof = errors.Is(err, io.EOF)
			return
		}
	}
}

// isOverLimit reports whether reading ends because more than max bytes arrived.
func (k *sink) isOverLimit() bool { return k.over && k.full != nil }

// nextBuffer returns the buffer for the next read: a part of buf until that holds max bytes, then one
// whose content is discarded.
func (k *sink) nextBuffer() []byte {
	if len(k.buf) < k.max {
		if len(k.buf) == cap(k.buf) {
			k.grow()
		}
		return k.buf[len(k.buf):min(cap(k.buf), k.max)]
	}
	if k.waste == nil {
		size := wasteBuffer
		if k.full != nil {
			size = 1
		}
		k.waste = make([]byte, size)
	}
	return k.waste
}

// grow doubles the capacity of buf, up to max.
func (k *sink) grow() {
	size := min(max(firstBuffer, 2*cap(k.buf)), k.max)
	next := make([]byte, len(k.buf), size)
	copy(next, k.buf)
	k.buf = next
}

// addRead records that n bytes were read into the result of nextBuffer.
func (k *sink) addRead(n int) {
	switch {
	case n <= 0:
	case len(k.buf) < k.max:
		k.buf = k.buf[:len(k.buf)+n]
	default:
		if !k.over && k.full != nil {
			close(k.full)
		}
		k.over = true
	}
}
