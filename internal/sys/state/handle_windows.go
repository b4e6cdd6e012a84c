package state

import "os"

// A handle is an open file of package os.
type handle struct{ file *os.File }

// openHandle opens the private file path for reading and writing, or appending if appends is set, and
// creates it if it is missing.
func openHandle(path string, appends bool) (*File, error) {
	flag := os.O_CREATE
	if appends {
		flag |= os.O_APPEND
	}
	return openWithFlag(path, flag)
}

// openExisting is openHandle for a file that must exist.
func openExisting(path string) (*File, error) { return openWithFlag(path, 0) }

// openNew is openHandle for a file that must not exist.
func openNew(path string) (*File, error) { return openWithFlag(path, os.O_CREATE|os.O_EXCL) }

// openWithFlag opens a private regular file for reading and writing.
func openWithFlag(path string, flag int) (*File, error) {
	f, _, err := openFile(path, flag|os.O_RDWR)
	if err != nil {
		return nil, err
	}
	return &File{handle: handle{f}, path: path}, nil
}

func (h handle) lock() error           { return lockFile(h.file) }
func (h handle) unlock()               { unlockFile(h.file) }
func (h handle) close() error          { return h.file.Close() }
func (h handle) isAt(path string) bool { return isAt(h.file, path) }

// Size returns the length of the file.
func (f *File) Size() (int64, error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(b []byte, off int64) (int, error) { return f.file.ReadAt(b, off) }

// Write implements [io.Writer].
func (f *File) Write(b []byte) (int, error) { return f.file.Write(b) }

// WriteAt implements [io.WriterAt].
func (f *File) WriteAt(b []byte, off int64) (int, error) { return f.file.WriteAt(b, off) }

// Truncate changes the size of the file.
func (f *File) Truncate(size int64) error { return f.file.Truncate(size) }

// Sync flushes the content to the disk.
func (f *File) Sync() error { return f.file.Sync() }

// SyncDir does nothing, because on Windows names are on the disk when files are closed.
func (d Dir) SyncDir(string) error { return nil }
