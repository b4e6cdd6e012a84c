package approval

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/text/visible"
)

const maxReasons = 3 // changes that one message spells out

// describe returns the words after a file's name for why it could not be read.
func describe(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case errors.Is(err, coverage.ErrNotRegular):
		return "is not a regular file"
	case errors.Is(err, coverage.ErrLarge):
		return "is larger than 64 MiB"
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return "cannot be read: " + err.Error()
}

// A Drift is one thing about a hook that is not as it was approved.
type Drift struct {
	Path string // the file; "" = the hook itself
	Name string // what to call it in messages
	Why  string // changed, is new, is missing, …
	// Now and Then are the times of the file, as it is and as it was approved;
	// zero = unknown.
	Now, Then time.Time
}

// ShortName is what to call a file in messages about a hook that runs in root: its
// path from there, if it lies below.
func ShortName(root, path string) string {
	if root != "" && Within(root, path) {
		if rel, err := filepath.Rel(root, path); err == nil {
			path = filepath.ToSlash(rel)
		}
	}
	return visible.Line(path)
}

// Title is what to call a file, or a part of one, in messages about a hook that runs
// in root.
func (f *FileSum) Title(root string) string {
	name := ShortName(root, f.Path)
	if f.Name != "" {
		name = visible.Line(f.Name) + " of " + name
	}
	return name
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
