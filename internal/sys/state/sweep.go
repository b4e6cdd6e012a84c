package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// sweepLimit is the maximum number of keys that one Sweep deletes, which also limits its time.
const sweepLimit = 500

// Sweep deletes expired values, at most 500 per call, and returns their number. It also removes lock
// files without a value, and temporary files of killed writers. It skips keys that are locked, so a
// concurrent Update loses nothing. Sweep reads the whole directory of the store, so it must not be
// called at each start of a program. It continues after an error and returns the first. If the store
// does not exist, Sweep does nothing.
func (s Store) Sweep() (removed int, err error) {
	name, err := s.fileName("")
	if err != nil {
		return 0, err
	}
	full, err := s.dir.resolve(name)
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
		case isTempName(name):
			removeLeftover(path, time.Now())
		case !isValueFile(value):
		case isLock:
			if gone, keyErr = sweepKey(path, isOrphanLock); gone {
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

// sweepKey deletes the value at path and its lock file if stale reports true both before and after the
// lock is taken; from then on no Update can change the value. It reports whether it did.
func sweepKey(path string, stale func(path string) bool) (bool, error) {
	if !stale(path) {
		return false, nil
	}
	held, err := acquireLock(path+lockSuffix, 0)
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
	defer held.releaseAndRemove()
	if err := removeFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, nil
}

// isExpired reports whether the value at path has expired.
func (s Store) isExpired(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && s.isPastTTL(info.ModTime())
}

// isOrphanLock reports whether the value path has a lock file but does not exist.
func isOrphanLock(path string) bool {
	return IsAbsent(path) && !IsAbsent(path+lockSuffix)
}

// dirNames returns at most limit names of the directory dir, or all of them if limit is negative. It
// fails for a symlink.
func dirNames(dir string, limit int) ([]string, error) {
	f, err := openDirNoFollow(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(limit)
}

// isValueFile reports whether name has the form of Store.fileName.
func isValueFile(name string) bool {
	digits, ok := strings.CutSuffix(name, valueSuffix)
	return ok && len(digits) == keyDigits && strings.Trim(digits, "0123456789abcdef") == ""
}
