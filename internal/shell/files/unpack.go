package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// filled reports whether a spot is a directory of a person outside the project in
// which something lies, so that what is unpacked there may replace it.
func (j *job) filled(s *spot) bool {
	if s.hole || s.own || s.path == "" || s.zone != inHomeOther && s.zone != inOutside || j.p == nil || j.p.Kind == nil || j.p.List == nil {
		return false
	}
	abs := j.onDisk(s)
	if rest, ok := homeRest(abs, j.base.home); ok && gear(first(rest)) {
		return false
	}
	with := *s
	with.path += "/"
	if !j.persons(&with) || j.p.Kind(abs) != shell.PathDir {
		return false
	}
	list, all := j.p.List(abs)
	return len(list) > 0 || !all
}

// linked finds a link in a directory of the project that leads to a home, or to what
// people keep outside the project.
func (j *job) linked(s *spot) (to spot, out bool) {
	if s.zone != inProjectRoot && s.zone != inProject || s.hole || j.base.real == nil || j.p == nil || j.p.List == nil || j.base.remote {
		return to, false
	}
	dir := j.onDisk(s)
	if !strings.HasPrefix(dir, "/") {
		return to, false
	}
	list, _ := j.p.List(dir)
	for _, e := range list {
		if !e.Link {
			continue
		}
		if to, _ = j.leads(dir + "/" + e.Name + "/."); to.zone == inHome || to.kind != "" || j.filled(&to) {
			return to, true
		}
	}
	return to, false
}

// gear reports whether a directory in a home is by its name one for tools, or for
// what was downloaded.
func gear(name string) bool {
	switch strings.ToLower(name) {
	case "bin", "opt", "tools", "local", "go", "sdk", "sdks", "apps", "applications", "android", "software", "downloads", "tmp", "temp", "build", "miniconda3", "anaconda3", "snap", "usr", "lib":
		return true
	}
	return false
}
