package state

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/random"
)

// A File is an open private file. It is designed for processes that live for a millisecond: it takes
// few system calls and has no buffers. It is not safe for concurrent use.
type File struct {
	handle
	path   string
	locked bool // Close must unlock it
	closed bool
}

// OpenAppend opens the file name for reading and appending. It creates the file, and the directories
// leading to it, if they are missing.
func (d Dir) OpenAppend(name string) (*File, error) {
	full, err := d.makeParents(name)
	if err != nil {
		return nil, err
	}
	return openHandle(full, true)
}

// OpenExisting opens the file name for reading and writing. It creates nothing; if the file is
// missing, the error is an [fs.ErrNotExist].
func (d Dir) OpenExisting(name string) (*File, error) {
	full, err := d.resolve(name)
	if err != nil {
		return nil, err
	}
	return openExisting(full)
}

// OpenLocked opens the file name for reading and for writing anywhere in it, creates it like
// [Dir.OpenAppend], and locks it like [Dir.Lock] until it is closed. The file is its own lock, so it
// must never be replaced or removed.
func (d Dir) OpenLocked(name string) (*File, error) {
	full, err := d.makeParents(name)
	if err != nil {
		return nil, err
	}
	return openLocked(full, d.lockWait())
}

// Close closes the file, and unlocks it if it was locked. Later calls do nothing, because the system
// may reuse the descriptor.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	if f.locked {
		fence.Add(1)
		f.unlock()
	}
	return f.close()
}

// Rename renames the file from to to, and replaces a file of that name.
func (d Dir) Rename(from, to string) error {
	old, err := d.resolve(from)
	if err != nil {
		return err
	}
	name, err := d.makeParents(to)
	if err != nil {
		return err
	}
	return renameFile(old, name)
}

// ReadOrCreateKey returns the 32 random bytes in the file name. If the file is missing, it creates it,
// once for all processes.
func (d Dir) ReadOrCreateKey(name string) ([]byte, error) {
	key, err := d.Read(name, KeySize)
	if IsMissing(err) {
		key, err = d.createKey(name)
	}
	if err == nil && len(key) != KeySize {
		remedy := "remove it to get a new one"
		if dir, _, ok := strings.Cut(name, "/"); ok {
			remedy = "restore it from a copy, or move " + d.Path(dir) + " away to start over"
		}
		err = fmt.Errorf("key %s has %d bytes instead of %d: %s", d.Path(name), len(key), KeySize, remedy)
	}
	return key, err
}

// KeySize is the length of a key in bytes.
const KeySize = 32

// createKey creates the key file name, unless another process creates it first, and returns the key.
func (d Dir) createKey(name string) ([]byte, error) {
	unlock, err := d.Lock(name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if key, err := d.Read(name, KeySize); !IsMissing(err) {
		return key, err // another process created it
	}
	key := make([]byte, KeySize)
	if err := random.Read(key); err != nil {
		return nil, err
	}
	return key, d.writeSynced(name, key)
}

// writeSynced is Write for content that must survive a power loss.
func (d Dir) writeSynced(name string, data []byte) error {
	if err := d.Write(name, data); err != nil {
		return err
	}
	full, err := d.resolve(name)
	if err != nil {
		return err
	}
	f, err := openHandle(full, false)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	if dir, _, ok := strings.Cut(name, "/"); ok {
		_ = d.SyncDir(dir) // not every file system supports it
	}
	return nil
}

// Create creates the file name with the content data. If it exists already, the error is an
// [fs.ErrExist]. A reader may see the file before it has all of its content.
func (d Dir) Create(name string, data []byte) error {
	full, err := d.makeParents(name)
	if err != nil {
		return err
	}
	f, err := openNew(full)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(data)
	return err
}
