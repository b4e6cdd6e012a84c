package walls

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of the files that [ReadLater] reads.
const (
	maxLater     = 256
	maxLaterSize = 64 << 10
)

// A LaterFile is a file of a project that something runs later.
type LaterFile struct {
	Path string      `json:"path"` // in the project, with slashes
	Keep bool        `json:"keep,omitempty"`
	Sum  []byte      `json:"sum"`            // of its content
	Text []byte      `json:"text,omitempty"` // its content, if Keep is set
	Mode fs.FileMode `json:"mode,omitempty"`
}

// ReadLater returns the files of the project dir that something runs later, in the order of their
// paths. It neither follows symlinks out of the project nor reads large files.
func ReadLater(dir string) ([]LaterFile, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []LaterFile
	for _, r := range Rules() {
		if r.Verb != "restore" && r.Verb != "tell" {
			continue
		}
		pattern := r.What
		if isBare(dir) { // the repository of a worktree
			if pattern, _ = strings.CutPrefix(pattern, ".git/"); pattern == r.What {
				continue
			}
		}
		names := []string{pattern}
		if strings.Contains(pattern, "*") {
			names, _ = fs.Glob(root.FS(), pattern)
		}
		for _, name := range names {
			info, err := root.Stat(name)
			if err != nil || !info.Mode().IsRegular() || info.Size() > maxLaterSize || strings.HasSuffix(name, ".sample") || len(out) == maxLater {
				continue
			}
			text, err := root.ReadFile(name)
			if err != nil {
				continue
			}
			sum := sha256.Sum256(text)
			f := LaterFile{Path: name, Keep: r.Verb == "restore", Sum: sum[:], Mode: info.Mode().Perm()}
			if f.Keep {
				f.Text = text
			}
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b LaterFile) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// isBare reports whether dir is the directory of a git repository rather than a working tree.
func isBare(dir string) bool { return filepath.Base(dir) == ".git" }

// PutBack compares the files of dir that something runs later with before, the result of an earlier
// call of [ReadLater]. It puts back those that are to be kept, unless harmless reports that the change
// does not matter, and returns them and the others that changed.
func PutBack(dir string, before []LaterFile, harmless func(name string, was, is []byte) bool) (back, changed []string, err error) {
	now, err := ReadLater(dir)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	find := func(list []LaterFile, name string) *LaterFile {
		if i := slices.IndexFunc(list, func(f LaterFile) bool { return f.Path == name }); i >= 0 {
			return &list[i]
		}
		return nil
	}
	var errs []error
	for i := range before {
		was := &before[i]
		is := find(now, was.Path)
		switch {
		case is != nil && bytes.Equal(is.Sum, was.Sum) && is.Mode == was.Mode:
		case is != nil && harmless(is.Path, was.Text, is.Text):
		case !was.Keep:
			changed = append(changed, was.Path)
		default:
			back = append(back, was.Path)
			errs = append(errs, root.MkdirAll(path.Dir(was.Path), 0o755), removeIn(root, was.Path), root.WriteFile(was.Path, was.Text, was.Mode), root.Chmod(was.Path, was.Mode))
		}
	}
	for i := range now {
		switch is := &now[i]; {
		case find(before, is.Path) != nil, harmless(is.Path, nil, is.Text):
		case is.Keep:
			back = append(back, is.Path)
			errs = append(errs, removeIn(root, is.Path))
		default:
			changed = append(changed, is.Path)
		}
	}
	return back, changed, errors.Join(errs...)
}

// removeIn removes the file name in root, if it exists. A symlink that a command left there is removed,
// not followed.
func removeIn(root *os.Root, name string) error {
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
