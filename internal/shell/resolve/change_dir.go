package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell/argv"
)

// isDir reports whether a directory is there: on disk, or because the text made it.
func (w *fileTable) isDir(path string) bool {
	if w.st.remote != "" || strings.Contains(path, placeholder) || slices.ContainsFunc(w.calls, argv.TakesDirs) {
		return false
	}
	for i := range w.files {
		if f := &w.files[i]; f.isDir && f.path == path && f.from == nil {
			return true
		}
	}
	return w.place.Kind != nil && path != "" && path[0] == '/' && w.place.Kind(path+"/.") != 0
}

// commit begins a statement that nothing guards: where the shell would be if the
// last cd had failed is possible as well.
func (w *fileTable) commit() {
	s := &w.st
	s.ended = false
	if s.onFailure == nil {
		return
	}
	list := s.locations()
	for _, f := range s.onFailure {
		if f.ifMissing == "" || !w.isDir(f.ifMissing) && (f.pastErrexit || !w.stopsOnFailure()) {
			list = unionLocations(list, []location{{dir: f.dir}})
		}
	}
	s.setLocations(list)
}

// move is a cd in every world.
func (w *fileTable) move(target string) {
	s := &w.st
	before := s.locations()
	after, failed := make([]location, 0, len(before)), make([]location, 0, len(before))
	sure := alwaysThere(target, w.place.Home)
	for _, one := range before {
		to := w.enterFrom(one.dir, target)
		if len(to) > maxPath {
			to = placeholder
		}
		w.steps -= len(to) / 64
		for _, dir := range w.cdPathDirs(target) {
			after = unionLocations(after, []location{{dir: w.enterFrom(w.enterFrom(one.dir, dir), target)}})
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

// alwaysThere reports whether a cd to a directory does not fail.
func alwaysThere(target, home string) bool {
	switch target {
	case "", ".", "..", "/", "~", "/tmp", home:
		return true
	}
	return strings.Trim(target, "./") == "" || strings.HasSuffix(target, "*/")
}

// enterFrom is the directory that cd to target leads to.
func (w *fileTable) enterFrom(base, target string) string {
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
	if argv.IsRooted(target) {
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
