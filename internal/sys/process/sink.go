package process

import (
	"errors"
	"io"
	"os"
)

const (
	firstBuffer = 2 << 10
	// wasteBuffer is the size of the reads whose bytes nobody keeps.
	wasteBuffer = 16 << 10
	// maxReady bounds readReady against a writer that never stops. No pipe an
	// unprivileged process can make holds more.
	maxReady = 1 << 20
)

// A sink reads one output pipe and keeps its first max bytes. One goroutine at
// a time uses it.
type sink struct {
	r    *os.File
	max  int
	full chan struct{} // if not nil, reading ends past max and closes it
	done chan struct{} // if not nil, closed when readAll is over

	buf   []byte
	waste []byte
	over  bool // there was more than max
	eof   bool // the end of the pipe was seen
}

// readAll reads until the pipe ends, its deadline passes or too much came.
func (k *sink) readAll() {
	k.pull(k.r.Read)
	if k.done != nil {
		close(k.done)
	}
}

// readReady reads what the pipe holds now and does not wait for more.
func (k *sink) readReady() {
	read := readNow(k.r)
	budget := maxReady
	k.pull(func(b []byte) (int, error) {
		if budget <= 0 {
			return 0, os.ErrDeadlineExceeded
		}
		n, err := read(b)
		budget -= n
		return n, err
	})
}

func (k *sink) pull(read func([]byte) (int, error)) {
	for !k.stopped() {
		room := k.room()
		n, err := read(room)
		k.took(n)
		if err != nil {
			k.eof = errors.Is(err, io.EOF)
			return
		}
	}
}

func (k *sink) stopped() bool { return k.over && k.full != nil }

// room is where the next read goes: the kept bytes as long as there may be
// more of them, afterwards a buffer that only serves to see or skip bytes.
func (k *sink) room() []byte {
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

func (k *sink) grow() {
	size := min(max(firstBuffer, 2*cap(k.buf)), k.max)
	next := make([]byte, len(k.buf), size)
	copy(next, k.buf)
	k.buf = next
}

// took accounts for n bytes read into room.
func (k *sink) took(n int) {
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
