package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A SharedFile is a file of fixed size that several processes change at the same time without a lock,
// so that a holder that never releases its lock cannot stop the others. Its blocks are allocated when
// it is created, so that a full disk does not stop them either if the file system writes in place.
type SharedFile struct {
	*File
	mapping
	size int
}

// OpenShared opens the file name, which [Dir.CreateIfMissing] created with size bytes. It fails if the file
// has another size.
func (d Dir) OpenShared(name string, size int) (*SharedFile, error) {
	full, err := d.resolve(name)
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
	return &SharedFile{File: f, size: size}, nil
}

// CreateIfMissing creates the file name with the content data, completely or not at all. It leaves an
// existing file unchanged and returns nil.
func (d Dir) CreateIfMissing(name string, data []byte) error {
	full, err := d.makeParents(name)
	if err != nil {
		return err
	}
	temp, err := writeTemp(full, data, time.Time{})
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
	return renameFile(temp, full) // this file system has no hard links
}

// addWait is how long addLocked waits for the lock.
const addWait = 50 * time.Millisecond

// addLocked is Add for systems that cannot map files.
func (s *SharedFile) addLocked(off int, delta uint64) (uint64, error) {
	if err := waitForLock(s.lock, time.Now().Add(addWait)); err != nil {
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
