package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/state"
)

const (
	maxFileSize = 64 << 20
	readSize    = 64 << 10 // bytes of a file that are held at a time
	maxReasons  = 3        // changes that one message spells out
)

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("too large")
)

// sumFile reads the file that is at path, behind all links, without ever
// waiting for it. Beside an error the FileSum has the path alone.
func sumFile(path string) (FileSum, error) {
	sum, _, err := sumAnd(path, nil)
	return sum, err
}

// sumAnd is sumFile that gives keep, unless it is nil, every byte that is
// digested, and returns the mark of what was read.
func sumAnd(path string, keep func([]byte)) (FileSum, state.Mark, error) {
	sum := FileSum{Path: path}
	f, info, err := openRegular(path)
	if err != nil {
		return sum, state.Mark{}, err
	}
	defer f.Close()
	if info.Size() > maxFileSize {
		return sum, state.Mark{}, errTooLarge
	}
	digest := sha256.New()
	size, buf := int64(0), make([]byte, min(info.Size()+1, readSize))
	for {
		n, err := f.Read(buf)
		digest.Write(buf[:n])
		if keep != nil {
			keep(buf[:n])
		}
		if size += int64(n); size > maxFileSize {
			return sum, state.Mark{}, errTooLarge // it grew meanwhile
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return sum, state.Mark{}, err
		}
	}
	sum.SHA256, sum.Size = hex.EncodeToString(digest.Sum(nil)), size
	// A file may claim a time that JSON cannot hold. Nothing depends on it.
	if t := info.ModTime().UTC(); t.Year() >= 0 && t.Year() <= 9999 {
		sum.MTime = t
	}
	return sum, state.MarkOf(info), nil
}

// openRegular opens a regular file for reading. It looks again after opening:
// what is there may have been replaced by a pipe in between.
func openRegular(path string) (*os.File, os.FileInfo, error) {
	f, err := openNoWait(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// describe says in a few words after a file's name why it could not be read.
func describe(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case errors.Is(err, errNotRegular):
		return "is not a regular file"
	case errors.Is(err, errTooLarge):
		return fmt.Sprintf("is larger than %d MiB", maxFileSize>>20)
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return "cannot be read: " + err.Error()
}

// A Drift is one thing about a hook that is not as it was approved.
type Drift struct {
	Path string // the file; "" = the hook's definition
	Name string // what to call it in messages
	Why  string // changed, is new, is missing, …
	// Now and Then are the times of the file, as it is and as it was approved;
	// zero = unknown.
	Now, Then time.Time
}

// filesChanged says what filesDrifted finds; "" = nothing, and then the marks of
// what was read are beside it.
func filesChanged(root string, h *checkrein.Hook, approved []FileSum) (string, []state.Marked) {
	drifts, marks, err := filesDrifted(root, h, approved)
	if err != nil {
		return err.Error(), nil
	}
	var reasons []string
	for _, d := range drifts {
		reasons = append(reasons, d.Name+" "+d.Why)
	}
	if more := len(reasons) - maxReasons; more > 0 {
		reasons = append(reasons[:maxReasons], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(reasons, ", "), marks
}

// filesDrifted compares the files that the hook names now, and those that were
// approved with it, with what was approved. An error says that nobody can tell
// which files it names.
func filesDrifted(root string, h *checkrein.Hook, approved []FileSum) ([]Drift, []state.Marked, error) {
	paths, err := namedFiles(root, h)
	if err != nil {
		return nil, nil, err
	}
	// A file that is not there any more, or no regular one, is still run by a
	// command that names it.
	for i := range approved {
		if !slices.Contains(paths, approved[i].Path) {
			paths = append(paths, approved[i].Path)
		}
	}
	var out []Drift
	var marks []state.Marked
	for _, path := range paths {
		d, mark := fileDrifted(path, approved)
		if d.Why != "" {
			d.Path, d.Name = path, ShortName(rootOf(root, h), path)
			out = append(out, d)
			continue
		}
		marks = append(marks, state.MarkAt(path, mark))
	}
	return out, marks, nil
}

func fileDrifted(path string, approved []FileSum) (Drift, state.Mark) {
	var d Drift
	at := slices.IndexFunc(approved, func(f FileSum) bool { return f.Path == path })
	if at >= 0 {
		d.Then = approved[at].MTime
	}
	sum, mark, err := sumAnd(path, nil)
	d.Now = sum.MTime
	switch {
	case err != nil:
		d.Why = describe(err)
	case at < 0:
		d.Why = "is new"
	case sum.SHA256 != approved[at].SHA256:
		d.Why = "changed"
	}
	return d, mark
}

// ShortName is what to call a file in messages about a hook that runs in root: its
// path from there, if it lies below.
func ShortName(root, path string) string {
	if root != "" && Within(root, path) {
		if rel, err := filepath.Rel(root, path); err == nil {
			path = filepath.ToSlash(rel)
		}
	}
	return VisibleLine(path)
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
