//go:build unix

package state

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// readRegular returns the content of the regular file path and its modification time. If private is
// set, the file must not be a symlink and must belong to the user. It avoids package os, which would
// start the network poller to open a file; that takes noticeable time in a program that lives for a
// millisecond.
func readRegular(path string, limit int64, private bool) ([]byte, time.Time, error) {
	flag := 0
	if private {
		flag = syscall.O_NOFOLLOW
	}
	fd, err := openReadOnly(path, flag)
	if err != nil && private {
		return nil, time.Time{}, openError(path, err)
	}
	if err != nil {
		return nil, time.Time{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, time.Time{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, time.Time{}, fmt.Errorf("open %s: %w", path, errNotRegular)
	}
	if private {
		if err := checkOwner(path, fs.FileMode(st.Mode&0o777), false, int(st.Uid)); err != nil {
			return nil, time.Time{}, err
		}
	}
	if st.Size > limit {
		return nil, time.Time{}, tooLargeError(path, limit)
	}
	data, err := readAll(fd, st.Size, limit)
	if errors.Is(err, ErrTooLarge) {
		return nil, time.Time{}, tooLargeError(path, limit)
	}
	if err != nil {
		return nil, time.Time{}, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, modTime(&st), nil
}

// openReadOnly opens path for reading, with the additional flag and without blocking, and returns the
// descriptor.
func openReadOnly(path string, flag int) (int, error) {
	for {
		fd, err := syscall.Open(path, flag|syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

// readAll reads fd to its end. The expected length is size, but the file may grow meanwhile. The error
// is ErrTooLarge if there are more than limit bytes.
func readAll(fd int, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, max(size, 127)+1) // the extra byte detects the end; files in /proc have size 0
	for {
		n, err := syscall.Read(fd, data[len(data):cap(data)])
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return nil, err
		case n == 0:
			return data, nil
		}
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, ErrTooLarge
		}
		if size > 0 && int64(len(data)) == size { // the buffer had room for more
			return data, nil
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}
