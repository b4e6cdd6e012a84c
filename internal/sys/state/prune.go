package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// Prune removes the oldest files of the directory sub until only keep of them are left. It is for
// files that can be created again. Lock files, temporary files and directories stay.
func (d Dir) Prune(sub string, keep int) error {
	full, err := d.resolveDir(sub)
	if err != nil {
		return err
	}
	names, err := dirNames(full, -1)
	if err != nil || len(names) <= keep {
		return err
	}
	// Remove files relative to the open directory, because its path may be replaced meanwhile.
	dir, err := openRootNoFollow(full)
	if err != nil {
		return err
	}
	defer dir.Close()
	type aged struct {
		name string
		at   time.Time
	}
	var files []aged
	for _, name := range names {
		if info, err := dir.Lstat(name); err == nil && info.Mode().IsRegular() && checkName(name) == nil {
			files = append(files, aged{name, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b aged) int { return b.at.Compare(a.at) })
	for _, f := range files[min(keep, len(files)):] {
		if err := dir.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// openRootNoFollow opens the directory path as a root that no path leads out of. It fails for a
// symlink.
func openRootNoFollow(path string) (*os.Root, error) {
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	is, err := dir.Stat(".")
	named, lerr := os.Lstat(path)
	if err = errors.Join(err, lerr); err == nil && !os.SameFile(is, named) {
		err = fmt.Errorf("state directory %s is %s, not a directory: %w: move it out of the way", path, DescribeKind(named.Mode()), ErrNotDir)
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}
