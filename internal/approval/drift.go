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

const maxReasons = 3 // changes listed in one message

// describeReadError returns why a file could not be read, as a predicate that follows the file's name.
func describeReadError(err error) string {
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

// A Drift is one difference between a hook and its approval.
type Drift struct {
	Path string // the file; "" means the hook itself
	Name string // its name in messages
	Why  string // "changed", "is new", "is missing" and the like
	// Now and Then are the modification times of the file, now and when it was approved;
	// zero means unknown.
	Now, Then time.Time
}

// ShortName returns the name of the file at path for messages about a hook that runs in root. It is
// relative if the file lies below root.
func ShortName(root, path string) string {
	if root != "" && IsBelow(root, path) {
		if rel, err := filepath.Rel(root, path); err == nil {
			path = filepath.ToSlash(rel)
		}
	}
	return visible.EscapeLine(path)
}

// Title returns the name of the file, or of the part of it, for messages about a hook that runs in
// root.
func (f *FileDigest) Title(root string) string {
	name := ShortName(root, f.Path)
	if f.Name != "" {
		name = visible.EscapeLine(f.Name) + " of " + name
	}
	return name
}

// isMissing reports whether no file exists at path.
func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
