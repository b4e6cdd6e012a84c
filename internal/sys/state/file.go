package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

const (
	// tempAge is the age at which a temporary file counts as left over by a dead writer. A
	// living writer needs milliseconds.
	tempAge = time.Hour
	// tidyOdds is the average number of writes between two searches for leftovers.
	tidyOdds = 64
	// tidyNames is the maximum number of directory entries that one search reads.
	tidyNames = 4096
)

// ErrTooLarge is the error for a file that exceeds its size limit.
var ErrTooLarge = errors.New("file is too large")

var errNotRegular = errors.New("not a regular file")

// ReadTail returns the last limit bytes of the regular file path, or all of it if it is shorter.
func ReadTail(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	tail := make([]byte, min(size, limit))
	n, err := f.ReadAt(tail, size-int64(len(tail)))
	return tail[:n], err
}

// readFile returns the content of the private file path, which may have at most limit bytes, and when
// it was last written.
func readFile(path string, limit int64) ([]byte, time.Time, error) {
	return readRegular(path, limit, true)
}

// ReadRegular returns the content of the regular file path, which may have at most limit bytes,
// whoever owns it. It does not block on a pipe or a device.
func ReadRegular(path string, limit int64) ([]byte, error) {
	data, _, err := readRegular(path, limit, false)
	return data, err
}

// OpenRegular opens the regular file path for reading, whoever owns it. It does not block on a pipe or
// a device.
func OpenRegular(path string) (*os.File, error) {
	f, err := openNoWait(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("open %s: %w", path, errNotRegular))
	}
	return f, nil
}

// ReadHead returns the first limit bytes of the regular file path, or all of it if it is shorter.
func ReadHead(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// ListDir returns at most limit names of the directory path, sorted, and reports whether there are
// more. It stops reading at limit, so a directory with a million names costs no more than its first
// ones. It does not block on a pipe in place of the directory.
func ListDir(path string, limit int) (names []string, more bool, err error) {
	f, err := openDir(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	names, err = f.Readdirnames(limit + 1)
	if err == io.EOF {
		err = nil
	}
	if more = len(names) > limit; more {
		names = names[:limit]
	}
	slices.Sort(names)
	return names, more, err
}

// ReadDirUnsorted is [os.ReadDirUnsorted] without sorting. It does not block on a pipe in place of the directory.
func ReadDirUnsorted(path string) ([]os.DirEntry, error) {
	f, err := openDir(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// tooLargeError returns the error for a file of more than limit bytes.
func tooLargeError(path string, limit int64) error {
	return fmt.Errorf("read %s: more than %d bytes: %w", path, limit, ErrTooLarge)
}

// writeFile replaces the file path atomically. Unless modified is zero, it becomes the modification
// time of the file.
func writeFile(path string, data []byte, modified time.Time) error {
	return replaceFile(path, data, modified, renameFile)
}

// replaceFile writes data to a temporary file, and calls rename to move it to path.
func replaceFile(path string, data []byte, modified time.Time, rename func(from, to string) error) error {
	temp, err := writeTemp(path, data, modified)
	if err != nil {
		return err
	}
	if err := rename(temp, path); err != nil {
		os.Remove(temp)
		return err
	}
	if rand.Uint32N(tidyOdds) == 0 {
		removeLeftovers(filepath.Dir(path), time.Now())
	}
	return nil
}

// writeTemp writes data to a new temporary file beside path, so that a rename to path does not cross
// file systems, and returns its name.
func writeTemp(path string, data []byte, modified time.Time) (string, error) {
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil && !modified.IsZero() {
		err = os.Chtimes(f.path, time.Time{}, modified)
	}
	if err != nil {
		os.Remove(f.path)
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return f.path, nil
}

// createTemp creates a temporary file with an unused name in dir.
func createTemp(dir string) (*File, error) {
	for try := 0; ; try++ {
		f, err := openNew(filepath.Join(dir, tempPrefix+strconv.FormatUint(rand.Uint64(), 36)+tempSuffix))
		if try == 100 || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// removeLeftovers removes temporary files that killed writers left in dir. It only saves disk space,
// so errors are ignored.
func removeLeftovers(dir string, now time.Time) {
	names, _ := dirNames(dir, tidyNames)
	for _, name := range names {
		if isTempName(name) {
			removeLeftover(filepath.Join(dir, name), now)
		}
	}
}

// removeLeftover removes the temporary file at path if it is older than tempAge.
func removeLeftover(path string, now time.Time) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > tempAge {
		os.Remove(path)
	}
}
