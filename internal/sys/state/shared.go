package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A Shared is a file of fixed size that processes change at the same time without a
// lock: one whose holder never lets go must not stop the others. Its blocks are there
// from the beginning, so that a full disk does not stop them either, where the file
// system writes in place.
type Shared struct {
	*File
	mapping
	size int
}

// OpenShared opens a file that [Dir.CreateOnce] made. One that is not of that size is an
// error.
func (d Dir) OpenShared(name string, size int) (*Shared, error) {
	full, err := d.existing(name)
	if err != nil {
		return nil, err
	}
	f, err := openExisting(full)
	if err != nil {
		return nil, err
	}
	if has, err := f.Size(); err != nil || has != int64(size) {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s has %d bytes instead of %d", full, has, size))
	}
	return &Shared{File: f, size: size}, nil
}

// CreateOnce makes a file with this content, whole or not at all, unless one of the name
// is there: that one stays.
func (d Dir) CreateOnce(name string, data []byte) error {
	full, err := d.prepare(name)
	if err != nil {
		return err
	}
	temp, err := stage(full, data, time.Time{})
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err = os.Link(temp, full); err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if _, err := os.Lstat(full); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return renameFile(temp, full) // not every file system knows links
}

// addWait is how long Add waits where it needs a lock.
const addWait = 50 * time.Millisecond

// addLocked is Add for systems that cannot map files.
func (s *Shared) addLocked(off int, delta uint64) (uint64, error) {
	if err := waitFor(s.lock, time.Now().Add(addWait)); err != nil {
		return 0, err
	}
	defer s.unlock()
	var b [8]byte
	if _, err := s.ReadAt(b[:], int64(off)); err != nil {
		return 0, err
	}
	n := binary.NativeEndian.Uint64(b[:]) + delta
	binary.NativeEndian.PutUint64(b[:], n)
	_, err := s.WriteAt(b[:], int64(off))
	return n, err
}
