package userdirs

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// CheckDir returns an error if dir is not the user's own: it is in one of projects or below /proc,
// every user may write to it, or it belongs to another user. If dir does not exist, its existing
// parent directories are checked.
func CheckDir(dir string, projects ...string) error { return new(walker).check(dir, projects) }

// CheckDirExists is [CheckDir] without projects that also reports whether dir exists.
func CheckDirExists(dir string) (exists bool, err error) {
	var w walker
	err = w.check(dir, nil)
	return w.exists, err
}

// check is CheckDir that reuses the directories that w has checked.
func (w *walker) check(dir string, projects []string) error {
	w.links = 0
	real, err := w.resolve(filepath.Clean(dir))
	if err != nil {
		return err
	}
	for _, p := range projects {
		if p == "" || !isInside(real, p) && !isInside(dir, p) || isDefaultDir(dir) || isInside(AccountHome(), p) {
			continue
		}
		return fmt.Errorf("it is inside the project %s, so agents that work there could change it: set HOME and XDG_* to your own directories and run checkrein install again", p)
	}
	return nil
}

// isInside reports whether path is dir or is below it.
func isInside(path, dir string) bool {
	if path == "" {
		return false
	}
	if runtime.GOOS != "windows" && filepath.IsAbs(path) && filepath.IsAbs(dir) { // cheaper than Rel, which builds a path
		path, dir = filepath.Clean(path), filepath.Clean(dir)
		return strings.HasPrefix(path, dir) && (len(path) == len(dir) || dir == "/" || path[len(dir)] == '/')
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// A walker checks paths from the root down. It checks directories that consecutive paths have in
// common only once, because a change between two checks could as well happen after both.
type walker struct {
	links   int
	exists  bool   // the last path exists
	checked string // the last path that was followed to its end without a symlink
}

// maxLinks is the maximum number of symlinks in a path, as on Linux.
const maxLinks = 40

// resolve follows path from the root, checks each directory on the way, and returns the path without
// symlinks.
func (w *walker) resolve(path string) (string, error) {
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
		if end < len(w.checked) && w.checked[end] == filepath.Separator && w.checked[:end] == next && end < len(path) {
			at, start = next, end+1
			continue
		}
		is, err := statPath(next)
		if err != nil {
			return "", err
		}
		if !is.there {
			w.checked, w.exists = at, false
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
			return w.resolve(filepath.Join(to, path[end:]))
		}
		if err := checkPathDir(next, is, end == len(path)); err != nil {
			return "", err
		}
		at, start = next, end+1
	}
	w.checked, w.exists = path, true
	return path, nil
}
