//go:build unix

package process

import (
	"io"
	"os"
	"syscall"
	"time"
)

// expire makes reads of the pipe fail once d is over, pending ones too.
func expire(f *os.File, d time.Duration) {
	_ = f.SetReadDeadline(time.Now().Add(d))
}

// writeNow writes what the pipe takes without waiting and tells how much it
// was. The descriptor of a pipe from os.Pipe does not block.
func writeNow(f *os.File, b []byte) int {
	c, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	_ = c.Write(func(fd uintptr) bool {
		n, _ = retry(syscall.Write, int(fd), b)
		return true
	})
	return max(n, 0)
}

// readNow returns a read that does not wait: it fails with EAGAIN instead. It
// lifts the deadline of f.
func readNow(f *os.File) func([]byte) (int, error) {
	_ = f.SetReadDeadline(time.Time{})
	return func(b []byte) (n int, err error) {
		c, err := f.SyscallConn()
		if err != nil {
			return 0, err
		}
		connErr := c.Read(func(fd uintptr) bool {
			n, err = retry(syscall.Read, int(fd), b)
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

// retry repeats a call that a signal interrupted.
func retry(call func(int, []byte) (int, error), fd int, b []byte) (int, error) {
	for {
		if n, err := call(fd, b); err != syscall.EINTR {
			return n, err
		}
	}
}
