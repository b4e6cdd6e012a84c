package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell/argv"
)

// dirExists reports whether a directory certainly exists at path, on disk or because the text created
// it.
func (w *fileTable) dirExists(path string) bool {
	if w.st.remote != "" || strings.Contains(path, placeholder) || slices.ContainsFunc(w.calls, argv.MayRemoveDirs) {
		return false
	}
	for i := range w.files {
		if f := &w.files[i]; f.isDir && f.path == path && f.from == nil {
			return true
		}
	}
	return w.place.Kind != nil && path != "" && path[0] == '/' && w.place.Kind(path+"/.") != 0
}

// addFailureLocations prepares for a statement that runs whether or not the last one succeeded: the
// shell may also be in the locations of a failed cd.
func (w *fileTable) addFailureLocations() {
	s := &w.st
	s.ended = false
	if s.onFailure == nil {
		return
	}
	list := s.locations()
	for _, f := range s.onFailure {
		if f.ifMissing == "" || !w.dirExists(f.ifMissing) && (f.pastErrexit || !w.stopsOnFailure()) {
			list = unionLocations(list, []location{{dir: f.dir}})
		}
	}
	s.setLocations(list)
}

// changeLocations changes from each location of the shell to target.
func (w *fileTable) changeLocations(target string) {
	s := &w.st
	before := s.locations()
	after, failed := make([]location, 0, len(before)), make([]location, 0, len(before))
	sure := isCertainDir(target, w.place.Home)
	for _, one := range before {
		to := w.cdResult(one.dir, target)
		if len(to) > maxPath {
			to = placeholder
		}
		w.steps -= len(to) / 64
		for _, dir := range w.cdPathDirs(target) {
			after = unionLocations(after, []location{{dir: w.cdResult(w.cdResult(one.dir, dir), target)}})
		}
		after = unionLocations(after, []location{{dir: to}})
		if !sure {
			failed = append(failed, location{dir: one.dir, ifMissing: w.absoluteDir(to)})
		}
	}
	s.setLocations(after)
	if len(failed) > 0 {
		s.onFailure = failed
	}
}

// isCertainDir reports whether cd to target cannot fail. home is the home directory.
func isCertainDir(target, home string) bool {
	switch target {
	case "", ".", "..", "/", "~", "/tmp", home:
		return true
	}
	return strings.Trim(target, "./") == "" || strings.HasSuffix(target, "*/")
}

// cdResult returns the directory of the shell after cd to target from base.
func (w *fileTable) cdResult(base, target string) string {
	if target == "" {
		return base
	}
	if w.linkCount > 0 && w.st.remote == "" {
		at := w.st.context
		at.dir = base
		if to := w.resolveDirLinks(w.lexicalPath(target, &at) + "/"); !strings.HasSuffix(to, "/") {
			return to
		}
	}
	if argv.IsRootedPath(target) {
		return target
	}
	if base == "" && w.st.remote == "" {
		base = w.place.Dir
	}
	if base == "" {
		return target
	}
	return cleanJoin(base, target)
}
