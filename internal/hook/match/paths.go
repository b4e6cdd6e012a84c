package match

import (
	"path"
	"path/filepath"
	"strings"
)

// A spot is one of a call's paths: as it is written, in full, and where links lead.
// One that is written is looked at first: most conditions need no more.
type spot struct {
	raw   string
	full  []string // it in full, and from the session's directory and the home
	real  []place  // where it leads, if that is elsewhere
	read  bool
	cutAt bool // there are more paths than are gone after
}

// A place is where a path leads, and its other spellings.
type place struct {
	at    string
	forms []string
}

// What is gone after of one call: each part of a path costs a system call.
const (
	maxSpots = 512
	maxSteps = 1 << 14
)

// pathsHold reports whether one of a call's paths is what a test asks for. To allow
// something needs to be sure: as it is written and where it leads. Everything else
// holds in any spelling, and of what is too much to go after.
func (v *View) pathsHold(n *test, sure bool) bool {
	v.pathList()
	for i, written := range v.paths {
		holds := n.op.holds(v, written, &n.want)
		if holds && !sure {
			return true
		}
		if holds != sure {
			continue // not as it is written, and sure is asked for
		}
		s := v.spotOf(i)
		if s.cutAt {
			if !sure {
				return true
			}
			continue
		}
		if sure && v.leads(n, s, true) || !sure && (v.spelled(n, s.full) || v.leads(n, s, false)) {
			return true
		}
	}
	return false
}

func (v *View) spelled(n *test, forms []string) bool {
	for _, f := range forms {
		if n.op.holds(v, f, &n.want) {
			return true
		}
	}
	return false
}

// leads reports whether a test holds where a path leads, all = whichever way it is read.
func (v *View) leads(n *test, s *spot, all bool) bool {
	for i := range s.real {
		r := &s.real[i]
		var holds bool
		switch n.op.name {
		case "under":
			holds = v.realUnder(r, n.want.text)
		case "outside":
			holds = !v.realUnder(r, n.want.text)
		default:
			holds = v.spelled(n, r.forms)
		}
		if holds != all {
			return holds
		}
	}
	return all
}

// realUnder compares with where the directory leads, too.
func (v *View) realUnder(r *place, dir string) bool {
	for _, f := range r.forms {
		if v.under(f, dir) {
			return true
		}
	}
	return v.under(r.at, v.real(v.ev, v.abs(dir)))
}

// spotOf reads the i-th path, once.
func (v *View) spotOf(i int) *spot {
	s := &v.spots[i]
	if s.read {
		return s
	}
	s.read = true
	full := v.abs(s.raw)
	s.full = v.forms(full, func(base string) string { return base })
	if v.real == nil || !path.IsAbs(full) && !filepath.IsAbs(full) {
		return s
	}
	raw := v.full(s.raw)
	v.gone++
	v.steps += strings.Count(raw, "/") + strings.Count(full, "/")
	if s.cutAt = v.gone > maxSpots || v.steps > maxSteps; s.cutAt {
		return s
	}
	// link/.. is where the link leads to systems, and where it lies to hosts that
	// read paths by words.
	s.lead(v, full, v.real(v.ev, raw))
	if raw != full {
		s.lead(v, full, v.real(v.ev, full))
	}
	return s
}

func (s *spot) lead(v *View, full, to string) {
	to = path.Clean(filepath.ToSlash(to))
	if to == full || len(s.real) > 0 && s.real[0].at == to {
		return
	}
	s.real = append(s.real, place{to, v.forms(to, func(base string) string { return v.real(v.ev, base) })})
}

// forms are the spellings of a full path: from the session's directory and the home
// as they are known, wherever these lead.
func (v *View) forms(full string, leads func(string) string) []string {
	out := []string{full}
	for _, b := range [...]struct{ dir, short string }{{v.ev.Session.Dir, ""}, {v.home, "~/"}} {
		if b.dir == "" {
			continue
		}
		dir := path.Clean(filepath.ToSlash(b.dir))
		rest, ok := strings.CutPrefix(full, path.Clean(filepath.ToSlash(leads(dir)))+"/")
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
