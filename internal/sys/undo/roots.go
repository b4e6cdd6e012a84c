package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// roots opens directories without following symlinks, so that a symlink that was planted after a save
// does not lead its files elsewhere. It keeps the latest ones open.
type roots struct {
	dirs map[string]*os.Root
}

const maxRoots = 64

func newRoots() *roots { return &roots{map[string]*os.Root{}} }

// close closes the directories.
func (r *roots) close() {
	for _, d := range r.dirs {
		_ = d.Close()
	}
	clear(r.dirs)
}

// open returns the directory at path, an absolute and clean path. If create is set, it creates missing
// directories. The result stays open until the next call at least.
func (r *roots) open(path string, create bool) (*os.Root, error) {
	if d := r.dirs[path]; d != nil {
		return d, nil
	}
	if len(r.dirs) >= maxRoots {
		r.close()
	}
	top := filepath.VolumeName(path) + string(filepath.Separator)
	dir, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(path, top), string(filepath.Separator)) {
		if name == "" {
			continue
		}
		next, err := openChild(dir, name, create)
		if err != nil {
			dir.Close()
			return nil, err
		}
		dir.Close()
		dir = next
	}
	r.dirs[path] = dir
	return dir, nil
}

// openChild opens the directory name in dir, which must not be a symlink, not even if it becomes one
// meanwhile.
func openChild(dir *os.Root, name string, create bool) (*os.Root, error) {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err := dir.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		info, err = dir.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory but %s", filepath.Join(dir.Name(), name), describe(info.Mode()))
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) {
		next.Close()
		return nil, fmt.Errorf("%s was replaced meanwhile", filepath.Join(dir.Name(), name))
	}
	return next, nil
}

// describe returns what a file with this mode is.
func describe(mode fs.FileMode) string {
	if mode&fs.ModeSymlink != 0 {
		return "a symlink"
	}
	return "another file"
}
