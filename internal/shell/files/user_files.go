package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// hasUserFiles reports whether s is a non-empty directory of the user outside the project, so that
// unpacking there may replace files.
func (j *job) hasUserFiles(s *location) bool {
	if s.hasUnknown || s.createdHere || s.path == "" || s.zone != inHomeOther && s.zone != inOutside || j.p == nil || j.p.Kind == nil || j.p.List == nil {
		return false
	}
	abs := j.diskPath(s)
	if rest, ok := homeRest(abs, j.base.home); ok && isToolDir(firstElement(rest)) {
		return false
	}
	with := *s
	with.path += "/"
	if !j.isUserArea(&with) || j.p.Kind(abs) != shell.PathDir {
		return false
	}
	list, all := j.p.List(abs)
	return len(list) > 0 || !all
}

// outsideLink finds a symlink in s, a directory of the project, that leads to a home directory, to a
// protected path, or to user files outside the project. It returns the location of its target, and
// false if there is none.
func (j *job) outsideLink(s *location) (to location, found bool) {
	if s.zone != inProjectRoot && s.zone != inProject || s.hasUnknown || j.base.real == nil || j.p == nil || j.p.List == nil || j.base.remote {
		return to, false
	}
	dir := j.diskPath(s)
	if !strings.HasPrefix(dir, "/") {
		return to, false
	}
	list, _ := j.p.List(dir)
	for _, e := range list {
		if !e.Link {
			continue
		}
		if to, _ = j.diskTarget(dir + "/" + e.Name + "/."); to.zone == inHome || to.kind != "" || j.hasUserFiles(&to) {
			return to, true
		}
	}
	return to, false
}

// isToolDir reports whether name, a directory in a home directory, is one for tools or downloads.
func isToolDir(name string) bool {
	switch strings.ToLower(name) {
	case "bin", "opt", "tools", "local", "go", "sdk", "sdks", "apps", "applications", "android", "software", "downloads", "tmp", "temp", "build", "miniconda3", "anaconda3", "snap", "usr", "lib":
		return true
	}
	return false
}
