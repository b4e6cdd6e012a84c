package userdirs

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Check returns why a directory is not the person's: it lies in a project, below /proc,
// where everyone may write, or it belongs to another user. One that does not exist is
// judged by those above it.
func Check(dir string, projects ...string) error { return new(walk).check(dir, projects) }

// Look is [Check] that also tells whether the directory is there.
func Look(dir string) (there bool, err error) {
	var w walk
	err = w.check(dir, nil)
	return w.there, err
}

func (w *walk) check(dir string, projects []string) error {
	w.links = 0
	real, err := w.real(filepath.Clean(dir))
	if err != nil {
		return err
	}
	for _, p := range projects {
		if p == "" || !inside(real, p) && !inside(dir, p) || isUsual(dir) || inside(Account(), p) {
			continue
		}
		return fmt.Errorf("it is inside the project %s, so agents that work there could change it: set HOME and XDG_* to your own directories and run checkrein install again", p)
	}
	return nil
}

// inside reports whether a path is a directory or lies in it.
func inside(path, dir string) bool {
	if path == "" {
		return false
	}
	if runtime.GOOS != "windows" && filepath.IsAbs(path) && filepath.IsAbs(dir) { // which Rel tells too, and builds a path for it
		path, dir = filepath.Clean(path), filepath.Clean(dir)
		return strings.HasPrefix(path, dir) && (len(path) == len(dir) || dir == "/" || path[len(dir)] == '/')
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// A walk goes down paths. What two of them have in common it looks at once: they are
// asked about one after the other, and what changes between two looks could as well have
// changed behind both.
type walk struct {
	links int
	there bool   // something is at the end of the last path
	clean string // a path to whose end it has been, without a link on the way
}

// maxLinks is how many links a path may go through, as on Linux.
const maxLinks = 40

// real follows a path from the root and looks at each directory on the way.
func (w *walk) real(path string) (string, error) {
	const sep = string(filepath.Separator)
	volume := len(filepath.VolumeName(path))
	if !strings.HasPrefix(path[volume:], sep) {
		path = path[:volume] + sep + path[volume:]
	}
	at := path[:volume+1]
	for start := volume + 1; start < len(path); {
		end := len(path)
		if i := strings.IndexByte(path[start:], filepath.Separator); i >= 0 {
			end = start + i
		}
		next := path[:end]
		if runtime.GOOS != "windows" && (next == "/proc" || next == "/dev/fd") {
			return "", fmt.Errorf("%s differs for each process: name the directory itself", next)
		}
		if end < len(w.clean) && w.clean[end] == filepath.Separator && w.clean[:end] == next && end < len(path) {
			at, start = next, end+1
			continue
		}
		is, err := lookAt(next)
		if err != nil {
			return "", err
		}
		if !is.there {
			w.clean, w.there = at, false
			return path, nil
		}
		if is.link {
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
			return w.real(filepath.Join(to, path[end:]))
		}
		if err := checkDir(next, is, end == len(path)); err != nil {
			return "", err
		}
		at, start = next, end+1
	}
	w.clean, w.there = path, true
	return path, nil
}
