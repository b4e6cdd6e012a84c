package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// sweepLimit bounds the keys one Sweep deletes, and with them its time.
const sweepLimit = 500

// Sweep deletes expired values, at most 500 per call, and says how many. It also
// clears lock files without a value and what killed writers left behind. A key
// that is locked is left for the next time, so a concurrent Update loses
// nothing. Sweep looks at every file of the store: it is not for each start of
// a program. It goes on after an error and returns the first. A store that does
// not exist has nothing to sweep.
func (s Store) Sweep() (removed int, err error) {
	name, err := s.file("")
	if err != nil {
		return 0, err
	}
	full, err := s.dir.existing(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	dir := filepath.Dir(full)
	names, err := dirNames(dir, -1)
	cleared := 0
	for _, name := range names {
		if removed+cleared >= sweepLimit {
			break
		}
		value, isLock := strings.CutSuffix(name, lockSuffix)
		path := filepath.Join(dir, value)
		gone, keyErr := false, error(nil)
		switch {
		case isTemp(name):
			removeLeftover(path, time.Now())
		case !isValue(value):
		case isLock:
			if gone, keyErr = sweepKey(path, isOrphan); gone {
				cleared++
			}
		default:
			if gone, keyErr = sweepKey(path, s.isExpired); gone {
				removed++
			}
		}
		if err == nil {
			err = keyErr
		}
	}
	return removed, err
}

// sweepKey deletes the value at path and its lock file if stale says so, and
// says so again once no Update can change it.
func sweepKey(path string, stale func(path string) bool) (bool, error) {
	if !stale(path) {
		return false, nil
	}
	held, err := acquire(path+lockSuffix, 0)
	if errors.Is(err, ErrBusy) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !stale(path) {
		held.release()
		return false, nil
	}
	defer held.drop()
	if err := removeFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, nil
}

func (s Store) isExpired(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && s.expired(info.ModTime())
}

// isOrphan reports whether the value at path of a lock file is missing.
func isOrphan(path string) bool {
	return Absent(path) && !Absent(path+lockSuffix)
}

// dirNames returns so many names of a directory that is no link.
func dirNames(dir string, most int) ([]string, error) {
	f, err := openOwnDir(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(most)
}

// isValue reports whether a name is one that Store.file makes.
func isValue(name string) bool {
	digits, ok := strings.CutSuffix(name, valueSuffix)
	return ok && len(digits) == keyDigits && strings.Trim(digits, "0123456789abcdef") == ""
}
