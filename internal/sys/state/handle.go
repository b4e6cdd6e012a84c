package state

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/random"
)

// A File is an open private file. It is made for writers that live for a
// millisecond: a few system calls, no buffers. One goroutine uses it at a time.
type File struct {
	handle
	path   string
	locked bool // until it is closed
	closed bool
}

// Append opens the named file for reading and for adding to its end, and
// creates it, and the directories on the way, when they are missing.
func (d Dir) Append(name string) (*File, error) {
	full, err := d.prepare(name)
	if err != nil {
		return nil, err
	}
	return openHandle(full, true)
}

// Existing opens the named file like [Dir.Append] would, if it is there. It changes
// nothing.
func (d Dir) Existing(name string) (*File, error) {
	full, err := d.existing(name)
	if err != nil {
		return nil, err
	}
	return openExisting(full)
}

// OpenLocked opens the named file for reading and for writing anywhere, creates
// it like [Dir.Append], and locks it like [Dir.Lock] until it is closed. The
// file is its own lock, so it must never be replaced or removed.
func (d Dir) OpenLocked(name string) (*File, error) {
	full, err := d.prepare(name)
	if err != nil {
		return nil, err
	}
	return openLocked(full, d.lockWait())
}

// Close closes the file, and unlocks it if it was locked. Only the first call
// does: the system gives the number of a closed file to the next.
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

// Rename gives a file of the directory another name, in place of whatever has
// that.
func (d Dir) Rename(from, to string) error {
	old, err := d.existing(from)
	if err != nil {
		return err
	}
	name, err := d.prepare(to)
	if err != nil {
		return err
	}
	return renameFile(old, name)
}

// Key returns the 32 random bytes in the named file, and makes them, once for
// all processes, when there are none.
func (d Dir) Key(name string) ([]byte, error) {
	key, err := d.Read(name, KeySize)
	if Missing(err) {
		key, err = d.makeKey(name)
	}
	if err == nil && len(key) != KeySize {
		remedy := "remove it to get a new one"
		if dir, _, ok := strings.Cut(name, "/"); ok {
			remedy = "restore it from a copy, or move " + d.Path(dir) + " away to begin anew"
		}
		err = fmt.Errorf("key %s has %d bytes instead of %d: %s", d.Path(name), len(key), KeySize, remedy)
	}
	return key, err
}

// KeySize is the length of a key.
const KeySize = 32

func (d Dir) makeKey(name string) ([]byte, error) {
	unlock, err := d.Lock(name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if key, err := d.Read(name, KeySize); !Missing(err) {
		return key, err // another was faster
	}
	key := make([]byte, KeySize)
	if err := random.Read(key); err != nil {
		return nil, err
	}
	return key, d.writeLasting(name, key)
}

// writeLasting is Write for what must be there after the loss of power too.
func (d Dir) writeLasting(name string, data []byte) error {
	if err := d.Write(name, data); err != nil {
		return err
	}
	full, err := d.existing(name)
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
		_ = d.SyncDir(dir) // not every file system can
	}
	return nil
}
