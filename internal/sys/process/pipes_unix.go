//go:build unix

package process

import (
	"io"
	"os"
	"syscall"
	"time"
)

// setReadTimeout makes reads of the pipe f fail after d, including pending ones.
func setReadTimeout(f *os.File, d time.Duration) {
	_ = f.SetReadDeadline(time.Now().Add(d))
}

// writeNoWait writes the part of b that the pipe f accepts without blocking, and returns its length.
// The descriptor of a pipe from os.Pipe is non-blocking.
func writeNoWait(f *os.File, b []byte) int {
	c, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	_ = c.Write(func(fd uintptr) bool {
		n, _ = ignoringEINTR(syscall.Write, int(fd), b)
		return true
	})
	return max(n, 0)
}

// noWaitReader returns a read function that fails with EAGAIN instead of blocking. It clears the
// deadline of f.
func noWaitReader(f *os.File) func([]byte) (int, error) {
	_ = f.SetReadDeadline(time.Time{})
	return func(b []byte) (n int, err error) {
		c, err := f.SyscallConn()
		if err != nil {
			return 0, err
		}
		connErr := c.Read(func(fd uintptr) bool {
			n, err = ignoringEINTR(syscall.Read, int(fd), b)
			return true
		})
		switch {
		case connErr != nil:
			return 0, connErr
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// ignoringEINTR repeats call(fd, b) until no signal interrupts it.
func ignoringEINTR(call func(int, []byte) (int, error), fd int, b []byte) (int, error) {
	for {
		if n, err := call(fd, b); err != syscall.EINTR {
			return n, err
		}
	}
}
