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
	// tempAge is how old a temporary file must be to count as left over by a
	// dead writer; a living one needs milliseconds.
	tempAge = time.Hour
	// tidyOdds is how many writes share the cost of one search for leftovers.
	tidyOdds = 64
	// tidyNames bounds the directory entries one search looks at.
	tidyNames = 4096
)

// ErrTooLarge is why a file was not read that is larger than it may be.
var ErrTooLarge = errors.New("file is too large")

var errNotRegular = errors.New("not a regular file")

// ReadTail returns the end of any regular file, at most so many bytes.
func ReadTail(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	tail := make([]byte, min(size, most))
	n, err := f.ReadAt(tail, size-int64(len(tail)))
	return tail[:n], err
}

// readFile returns the content of a private file of at most limit bytes and
// the time of its last write.
func readFile(path string, limit int64) ([]byte, time.Time, error) {
	return readRegular(path, limit, true)
}

// ReadRegular returns the content of any regular file of at most limit bytes,
// whoever owns it. Neither a pipe nor a device makes it wait.
func ReadRegular(path string, limit int64) ([]byte, error) {
	data, _, err := readRegular(path, limit, false)
	return data, err
}

// OpenRegular opens any regular file for reading. Neither a pipe nor a device makes it
// wait.
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

// ReadHead returns the first bytes of any regular file, at most limit of them.
func ReadHead(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// List returns names of a directory, sorted, at most so many, and whether there
// are more. It reads no further than that, so a directory with a million names
// costs what its first ones do, and a pipe in its place does not make it wait.
func List(path string, most int) (names []string, more bool, err error) {
	f, err := openDir(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	names, err = f.Readdirnames(most + 1)
	if err == io.EOF {
		err = nil
	}
	if more = len(names) > most; more {
		names = names[:most]
	}
	slices.Sort(names)
	return names, more, err
}

// ReadDir is [os.ReadDir] in no order, and does not wait where a pipe is in the
// directory's place.
func ReadDir(path string) ([]os.DirEntry, error) {
	f, err := openDir(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

func tooLarge(path string, limit int64) error {
	return fmt.Errorf("read %s: more than %d bytes: %w", path, limit, ErrTooLarge)
}

// writeFile replaces path atomically. A modified that is not zero becomes the
// file's time of last write.
func writeFile(path string, data []byte, modified time.Time) error {
	return replaceFile(path, data, modified, renameFile)
}

func replaceFile(path string, data []byte, modified time.Time, rename func(from, to string) error) error {
	temp, err := stage(path, data, modified)
	if err != nil {
		return err
	}
	if err := rename(temp, path); err != nil {
		os.Remove(temp)
		return err
	}
	if rand.Uint32N(tidyOdds) == 0 {
		tidy(filepath.Dir(path), time.Now())
	}
	return nil
}

// stage writes data to a new temporary file beside path, where a rename to path
// cannot cross file systems, and returns its name.
func stage(path string, data []byte, modified time.Time) (string, error) {
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

// createTemp makes a temporary file of a new name.
func createTemp(dir string) (*File, error) {
	for try := 0; ; try++ {
		f, err := openNew(filepath.Join(dir, tempPrefix+strconv.FormatUint(rand.Uint64(), 36)+tempSuffix))
		if try == 100 || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// tidy removes what killed writers left in dir. It is a courtesy to the disk,
// so its own failures are nobody's concern.
func tidy(dir string, now time.Time) {
	names, _ := dirNames(dir, tidyNames)
	for _, name := range names {
		if isTemp(name) {
			removeLeftover(filepath.Join(dir, name), now)
		}
	}
}

func removeLeftover(path string, now time.Time) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > tempAge {
		os.Remove(path)
	}
}
