package state

import "os"

type handle struct{ file *os.File }

func openHandle(path string, appends bool) (*File, error) {
	flag := os.O_CREATE
	if appends {
		flag |= os.O_APPEND
	}
	return openWith(path, flag)
}

// openExisting is openHandle for a file that must be there.
func openExisting(path string) (*File, error) { return openWith(path, 0) }

// openNew is openHandle for a file that must not be there.
func openNew(path string) (*File, error) { return openWith(path, os.O_CREATE|os.O_EXCL) }

func openWith(path string, flag int) (*File, error) {
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

// ReadAt is that of [io.ReaderAt].
func (f *File) ReadAt(b []byte, off int64) (int, error) { return f.file.ReadAt(b, off) }

// Write is that of [io.Writer].
func (f *File) Write(b []byte) (int, error) { return f.file.Write(b) }

// WriteAt is that of [io.WriterAt].
func (f *File) WriteAt(b []byte, off int64) (int, error) { return f.file.WriteAt(b, off) }

// Truncate cuts the file.
func (f *File) Truncate(size int64) error { return f.file.Truncate(size) }

// Sync returns when the content is on the disk.
func (f *File) Sync() error { return f.file.Sync() }

// SyncDir has nothing to do: names are on the disk when files are closed.
func (d Dir) SyncDir(string) error { return nil }
