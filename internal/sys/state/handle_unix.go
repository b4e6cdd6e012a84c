//go:build unix

package state

import (
	"fmt"
	"io"
	"io/fs"
	"syscall"
)

// A handle is a file descriptor. It avoids package os, which would start the network poller to open a
// file.
type handle struct{ fd int }

// openHandle opens the private file path for reading and writing, or appending if appends is set, and
// creates it if it is missing.
func openHandle(path string, appends bool) (*File, error) {
	flag := syscall.O_CREAT
	if appends {
		flag |= syscall.O_APPEND
	}
	return openWithFlag(path, flag)
}

// openExisting is openHandle for a file that must exist.
func openExisting(path string) (*File, error) { return openWithFlag(path, 0) }

// openNew is openHandle for a file that must not exist.
func openNew(path string) (*File, error) { return openWithFlag(path, syscall.O_CREAT|syscall.O_EXCL) }

// openWithFlag opens the private regular file path for reading and writing, with the additional flag.
// It follows no symlink.
func openWithFlag(path string, flag int) (*File, error) {
	flag |= syscall.O_RDWR | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_NOCTTY | syscall.O_CLOEXEC
	fd, err := ignoringEINTR(func() (int, error) { return syscall.Open(path, flag, fileMode) })
	if err != nil {
		return nil, openError(path, err)
	}
	f := &File{handle: handle{fd}, path: path}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		f.close()
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	err = checkOwner(path, fs.FileMode(st.Mode&0o777), false, int(st.Uid))
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		err = fmt.Errorf("open %s: %w", path, errNotRegular)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// ignoringEINTR repeats call until no signal interrupts it.
func ignoringEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// lock locks the open file, not the process, so that goroutines exclude each other too. It returns
// errHeld instead of waiting.
func (h handle) lock() error {
	_, err := ignoringEINTR(func() (int, error) { return 0, syscall.Flock(h.fd, syscall.LOCK_EX|syscall.LOCK_NB) })
	if err == syscall.EWOULDBLOCK {
		return errHeld
	}
	return err
}

// unlock releases the lock. Closing is not enough: a child between fork and exec still shares the open
// file, and with it the lock.
func (h handle) unlock() { _ = syscall.Flock(h.fd, syscall.LOCK_UN) }

func (h handle) close() error { return syscall.Close(h.fd) }

// isAt reports whether the open file is still the one at path.
func (h handle) isAt(path string) bool {
	var here, there syscall.Stat_t
	return syscall.Fstat(h.fd, &here) == nil && syscall.Stat(path, &there) == nil && here.Dev == there.Dev && here.Ino == there.Ino
}

// Size returns the length of the file.
func (f *File) Size() (int64, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(f.fd, &st); err != nil {
		return 0, &fs.PathError{Op: "stat", Path: f.path, Err: err}
	}
	return st.Size, nil
}

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(b []byte, off int64) (int, error) {
	done := 0
	for done < len(b) {
		n, err := ignoringEINTR(func() (int, error) { return syscall.Pread(f.fd, b[done:], off+int64(done)) })
		if err != nil {
			return done, &fs.PathError{Op: "read", Path: f.path, Err: err}
		}
		if n == 0 {
			return done, io.EOF
		}
		done += n
	}
	return done, nil
}

// Write implements [io.Writer].
func (f *File) Write(b []byte) (int, error) {
	return f.writeAll(b, func(b []byte, _ int) (int, error) { return syscall.Write(f.fd, b) })
}

// WriteAt implements [io.WriterAt].
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	return f.writeAll(b, func(b []byte, done int) (int, error) { return syscall.Pwrite(f.fd, b, off+int64(done)) })
}

// writeAll calls write until all of b is written.
func (f *File) writeAll(b []byte, write func(b []byte, done int) (int, error)) (int, error) {
	done := 0
	for done < len(b) {
		n, err := ignoringEINTR(func() (int, error) { return write(b[done:], done) })
		if n > 0 {
			done += n
		}
		if err == nil && n <= 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, &fs.PathError{Op: "write", Path: f.path, Err: err}
		}
	}
	return done, nil
}

// Truncate changes the size of the file.
func (f *File) Truncate(size int64) error {
	_, err := ignoringEINTR(func() (int, error) { return 0, syscall.Ftruncate(f.fd, size) })
	return pathError("truncate", f.path, err)
}

// Sync flushes the content to the disk.
func (f *File) Sync() error {
	_, err := ignoringEINTR(func() (int, error) { return 0, syncData(f.fd) })
	return pathError("sync", f.path, err)
}

// pathError wraps err in an fs.PathError, unless it is nil.
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// SyncDir flushes the names of the files in the directory name to the disk.
func (d Dir) SyncDir(name string) error {
	full, err := d.resolve(name)
	if err != nil {
		return err
	}
	fd, err := openReadOnly(full, syscall.O_NOFOLLOW)
	if err != nil {
		return &fs.PathError{Op: "open", Path: full, Err: err}
	}
	defer syscall.Close(fd)
	return pathError("sync", full, syscall.Fsync(fd))
}
