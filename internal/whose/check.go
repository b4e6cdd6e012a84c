package whose

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Check says why a directory is not the person's: it lies in a project, below /proc,
// where everyone may write, or it belongs to another user. One that does not exist is
// judged by those above it.
func Check(dir string, projects ...string) error {
	w := walk{}
	real, err := w.real(filepath.Clean(dir))
	if err != nil {
		return err
	}
	for _, p := range projects {
		if p == "" || !inside(real, p) && !inside(dir, p) || isUsual(dir) || inside(Account(), p) {
			continue
		}
		return fmt.Errorf("it lies in the project %s, which could fill it: set HOME and XDG_* to directories of your own and run checkrein install again", p)
	}
	return nil
}

// inside reports whether a path is a directory or lies in it.
func inside(path, dir string) bool {
	if path == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// A walk goes down a path.
type walk struct{ links int }

// maxLinks is how many links a path may go through, as on Linux.
const maxLinks = 40

// real follows a path from the root and looks at each directory on the way.
func (w *walk) real(path string) (string, error) {
	volume := filepath.VolumeName(path)
	at := volume + string(filepath.Separator)
	rest := strings.Split(strings.TrimPrefix(path[len(volume):], string(filepath.Separator)), string(filepath.Separator))
	for i, name := range rest {
		if name == "" {
			continue
		}
		next := filepath.Join(at, name)
		if runtime.GOOS != "windows" && (next == "/proc" || next == "/dev/fd") {
			return "", fmt.Errorf("%s leads to another place for each process: name the directory itself", next)
		}
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(append([]string{at}, rest[i:]...)...), nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(next)
			if err != nil {
				return "", err
			}
			if w.links++; w.links > maxLinks {
				return "", errTooManyLinks
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(at, to)
			}
			return w.real(filepath.Join(append([]string{to}, rest[i+1:]...)...))
		}
		if err := checkDir(next, info, i == len(rest)-1); err != nil {
			return "", err
		}
		at = next
	}
	return at, nil
}
