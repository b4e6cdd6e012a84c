package match

import (
	"path"
	"path/filepath"
	"strings"
)

// A callPath is one of a call's paths: as it is written, absolute, and where its symlinks lead. The
// written form is tested first: most conditions need no more.
type callPath struct {
	raw       string
	full      []string     // the absolute path, and relative to the session's directory and the home
	targets   []pathTarget // where it leads, if that is another path
	read      bool
	overLimit bool // the call has more paths than are resolved
}

// A pathTarget is where a path leads, with its other spellings.
type pathTarget struct {
	path  string
	forms []string
}

// Limits of the paths that are resolved for one call: each element costs a system call.
const (
	maxCallPaths = 512
	maxSteps     = 1 << 14
)

// pathsHold reports whether a test holds for one of the call's paths. With sure, it must hold for the
// path as it is written and where it leads. Otherwise it holds if any spelling satisfies it, or if
// there are too many paths to resolve.
func (v *View) pathsHold(n *test, sure bool) bool {
	v.pathList()
	for i, written := range v.paths {
		holds := n.op.holds(v, written, &n.want)
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
		if sure && v.targetHolds(n, s, true) || !sure && (v.anyHolds(n, s.full) || v.targetHolds(n, s, false)) {
			return true
		}
	}
	return false
}

// anyHolds reports whether a test holds for one of the spellings.
func (v *View) anyHolds(n *test, forms []string) bool {
	for _, f := range forms {
		if n.op.holds(v, f, &n.want) {
			return true
		}
	}
	return false
}

// targetHolds reports whether a test holds where a path leads; with all, for every way to resolve it.
func (v *View) targetHolds(n *test, s *callPath, all bool) bool {
	for i := range s.targets {
		r := &s.targets[i]
		var holds bool
		switch n.op.name {
		case "under":
			holds = v.targetUnder(r, n.want.text)
		case "outside":
			holds = !v.targetUnder(r, n.want.text)
		default:
			holds = v.anyHolds(n, r.forms)
		}
		if holds != all {
			return holds
		}
	}
	return all
}

// targetUnder reports whether a target lies under dir, or under the directory that dir leads to.
func (v *View) targetUnder(r *pathTarget, dir string) bool {
	for _, f := range r.forms {
		if v.isUnder(f, dir) {
			return true
		}
	}
	return v.isUnder(r.path, v.resolve(v.ev, v.abs(dir)))
}

// resolvePath resolves the i-th path, once.
func (v *View) resolvePath(i int) *callPath {
	s := &v.callPaths[i]
	if s.read {
		return s
	}
	s.read = true
	full := v.abs(s.raw)
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

// addTarget adds the path that full leads to, unless it is the same or already added.
func (s *callPath) addTarget(v *View, full, to string) {
	to = path.Clean(filepath.ToSlash(to))
	if to == full || len(s.targets) > 0 && s.targets[0].path == to {
		return
	}
	s.targets = append(s.targets, pathTarget{to, v.spellings(to, func(base string) string { return v.resolve(v.ev, base) })})
}

// spellings returns the spellings of an absolute path: as it is, and relative to the session's
// directory and the home, both compared as target maps them.
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
