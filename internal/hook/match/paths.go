package match

import (
	"path"
	"path/filepath"
	"strings"
)

// A callPath is one of a call's paths in three forms: as written, absolute, and with symlinks
// resolved. The written form is tested first, because most conditions need no other.
type callPath struct {
	raw       string
	full      []string     // spellings of the absolute path; see spellings
	targets   []pathTarget // with symlinks resolved; empty if that makes no difference
	read      bool         // the other fields are set
	overLimit bool         // not resolved, because the call has too many paths
}

// A pathTarget is the target of a path with symlinks, and the spellings of it.
type pathTarget struct {
	path  string
	forms []string
}

// Limits for resolving the paths of one call, since each path element costs a system call.
const (
	maxCallPaths = 512
	maxSteps     = 1 << 14
)

// pathsHold reports whether the test n holds for one of the call's paths. If sure is set, it must hold
// for the path as written and for its target, and paths that a command only names do not count.
// Otherwise it is enough that it holds for one spelling, or that there are too many paths to resolve.
func (v *View) pathsHold(n *test, sure bool) bool {
	v.pathList()
	for i, written := range v.paths {
		if sure && i >= v.touched {
			return false
		}
		holds := n.pathHolds(v, written, sure)
		if holds && !sure {
			return true
		}
		if holds != sure {
			continue // with sure, the written form must hold as well
		}
		s := v.resolvePath(i)
		if s.overLimit {
			if !sure {
				return true
			}
			continue
		}
		if sure && v.targetHolds(n, s, true) || !sure && (v.anyHolds(n, s.full, false) || v.projectFormHolds(n, s.full[0]) || v.targetHolds(n, s, false)) {
			return true
		}
	}
	return false
}

// pathHolds reports whether the test n holds for p, a spelling of a path. A relative directory starts at the
// session's; where it would be wrong to miss a path, what is below that directory of the project counts, too.
func (n *test) pathHolds(v *View, p string, sure bool) bool {
	switch n.op.name {
	case "under":
		return v.isUnder(p, n.want.text) || !sure && v.isUnderInProject(p, n.want.text)
	case "outside":
		return !v.isUnder(p, n.want.text) && !(sure && v.isUnderInProject(p, n.want.text))
	}
	return n.op.holds(v, p, &n.want)
}

// isUnderInProject is isUnder for dir in the project's directory. It reports false if the session runs there.
func (v *View) isUnderInProject(p, dir string) bool {
	in := v.inProject(dir)
	return in != "" && v.isUnder(p, in)
}

// inProject returns the path of dir in the project, or "" if dir is absolute or the session runs in the
// project's directory.
func (v *View) inProject(dir string) string {
	root := v.ev.Session.Root
	if root == "" || root == v.ev.Session.Dir || dir == "~" || strings.HasPrefix(dir, "~/") || path.IsAbs(dir) || filepath.IsAbs(dir) {
		return ""
	}
	return filepath.ToSlash(root) + "/" + dir
}

// anyHolds reports whether the test n holds for one of forms, which are spellings of a path; see pathHolds.
func (v *View) anyHolds(n *test, forms []string, sure bool) bool {
	for _, f := range forms {
		if n.pathHolds(v, f, sure) {
			return true
		}
	}
	return false
}

// targetHolds reports whether the test n holds for a target of the path s or, if forAll is set, for
// every target.
func (v *View) targetHolds(n *test, s *callPath, forAll bool) bool {
	for i := range s.targets {
		r := &s.targets[i]
		var holds bool
		switch n.op.name {
		case "under":
			holds = v.targetUnder(r, n.want.text) || !forAll && v.targetUnder(r, v.inProject(n.want.text))
		case "outside":
			holds = !v.targetUnder(r, n.want.text) && !(forAll && v.targetUnder(r, v.inProject(n.want.text)))
		default:
			holds = v.anyHolds(n, r.forms, forAll) || !forAll && v.projectFormHolds(n, r.path)
		}
		if holds != forAll {
			return holds
		}
	}
	return forAll
}

// targetUnder reports whether the target r is dir or below it, or below the directory that dir
// resolves to. It reports false if dir is "".
func (v *View) targetUnder(r *pathTarget, dir string) bool {
	if dir == "" {
		return false
	}
	for _, f := range r.forms {
		if v.isUnder(f, dir) {
			return true
		}
	}
	return v.isUnder(r.path, v.resolve(v.ev, v.absPath(dir)))
}

// resolvePath returns the i-th path of the call. On the first call it resolves its symlinks, within
// the limits.
func (v *View) resolvePath(i int) *callPath {
	s := &v.callPaths[i]
	if s.read {
		return s
	}
	s.read = true
	full := v.absPath(s.raw)
	s.full = v.spellings(full, func(base string) string { return base })
	if v.resolve == nil || !path.IsAbs(full) && !filepath.IsAbs(full) {
		return s
	}
	raw := v.absUnclean(s.raw)
	v.resolved++
	v.steps += strings.Count(raw, "/") + strings.Count(full, "/")
	if s.overLimit = v.resolved > maxCallPaths || v.steps > maxSteps; s.overLimit {
		return s
	}
	// For the system, link/.. is the parent of the symlink's target; for hosts that clean
	// paths lexically, it is the directory that contains the symlink.
	s.addTarget(v, full, v.resolve(v.ev, raw))
	if raw != full {
		s.addTarget(v, full, v.resolve(v.ev, full))
	}
	return s
}

// addTarget adds to, the target of the absolute path full, unless they are equal or it was added
// before.
func (s *callPath) addTarget(v *View, full, to string) {
	to = path.Clean(filepath.ToSlash(to))
	if to == full || len(s.targets) > 0 && s.targets[0].path == to {
		return
	}
	s.targets = append(s.targets, pathTarget{to, v.spellings(to, func(base string) string { return v.resolve(v.ev, base) })})
}

// projectFormHolds reports whether the test n, which is not of a directory, holds for the absolute path full as
// it is seen from the project's directory, if the session runs in another one.
func (v *View) projectFormHolds(n *test, full string) bool {
	rest, ok := strings.CutPrefix(full, path.Clean(v.inProject("."))+"/")
	return ok && n.op.name != "under" && n.op.name != "outside" && n.op.holds(v, rest, &n.want)
}

// spellings returns the spellings of the absolute path full that conditions may use: full itself, and
// below the session's directory and the home directory also the spellings relative to them. The
// function target maps these directories before they are compared with full.
func (v *View) spellings(full string, target func(string) string) []string {
	out := []string{full}
	for _, b := range [...]struct{ dir, short string }{{v.ev.Session.Dir, ""}, {v.home, "~/"}} {
		if b.dir == "" {
			continue
		}
		dir := path.Clean(filepath.ToSlash(b.dir))
		rest, ok := strings.CutPrefix(full, path.Clean(filepath.ToSlash(target(dir)))+"/")
		if !ok {
			continue
		}
		if in := dir + "/" + rest; in != full {
			out = append(out, in)
		}
		out = append(out, b.short+rest)
	}
	return out
}
