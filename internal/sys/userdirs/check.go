package userdirs

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Check returns why a directory is not the person's own: it is in a project or below /proc, every user
// may write to it, or it belongs to another user. For one that does not exist, its parent directories
// decide.
func Check(dir string, projects ...string) error { return new(walker).check(dir, projects) }

// CheckExists is [Check] that also reports whether the directory exists.
func CheckExists(dir string) (there bool, err error) {
	var w walker
	err = w.check(dir, nil)
	return w.exists, err
}

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

// isInside reports whether path is dir or lies in it.
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
// common only once: a change between two checks could as well happen after both.
type walker struct {
	links   int
	exists  bool   // the end of the last path exists
	checked string // the last path that was walked to its end without a symlink
}

// maxLinks is how many symlinks a path may have, as on Linux.
const maxLinks = 40

// resolve follows a path from the root and checks each directory on the way.
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
		if err := checkDir(next, is, end == len(path)); err != nil {
			return "", err
		}
		at, start = next, end+1
	}
	w.checked, w.exists = path, true
	return path, nil
}
