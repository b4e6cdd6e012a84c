package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell/argv"
)

// A cd may fail, and then all that follows runs where the shell was before. So a
// context has worlds: the directory that it is most likely in, and others that are
// possible. What && guards sees only the worlds in which the cd went well; what
// stands behind a ; or a line break sees all.

// A location is a directory that a shell may be in.
type location struct {
	dir   string // "" = the place's own
	needs string // it is this one only if that directory is missing; "" = it is possible anyway
	soft  bool   // the shell goes on here although it was told to stop when something fails
}

// maxWorlds bounds the directories that are told apart; with more, any is possible.
const maxWorlds = 3

// worlds are where the shell may be now.
func (s *state) worlds() []location {
	out := make([]location, 1, 1+len(s.also))
	out[0].dir = s.dir
	for _, d := range s.also {
		out = append(out, location{dir: d})
	}
	return out
}

// take puts the shell into worlds. Without any nothing is left to run there, and
// the shell stays where it was.
func (s *state) take(list []location) {
	s.failed = nil
	if s.ended = len(list) == 0; s.ended {
		return
	}
	s.dir, s.also = list[0].dir, nil
	for _, w := range list[1:] {
		s.also = append(s.also, w.dir)
	}
}

// unite is the worlds of both lists, those of the first before the others.
func unite(a, b []location) []location {
	out := a[:len(a):len(a)]
	for _, w := range b {
		i := slices.IndexFunc(out, func(have location) bool { return have.dir == w.dir })
		switch {
		case i >= 0:
			if w.needs == "" && out[i].needs != "" {
				out = slices.Clone(out)
				out[i] = w
			}
		case len(out) < maxWorlds:
			out = append(out, w)
		case out[len(out)-1].dir != hole:
			out = append(out, location{dir: hole})
		}
	}
	return out
}

// An outcome is where the shell may be when a command went well, and when not.
type outcome struct{ ok, no []location }

// outcome is that of the statement that was walked last.
func (w *world) outcome(s *syntax.Stmt) outcome {
	if w.st.ended {
		return outcome{}
	}
	o := outcome{ok: w.st.worlds()}
	switch {
	case w.st.failed != nil:
		o.no = w.st.failed
	case !neverFails(s):
		o.no = o.ok
	}
	if s != nil && s.Negated {
		o.ok, o.no = o.no, o.ok
	}
	return o
}

// neverFails reports whether a statement is a command that always succeeds.
func neverFails(s *syntax.Stmt) bool {
	if s == nil {
		return false
	}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	switch c.Args[0].Lit() {
	case "true", ":", "echo", "printf", "pwd", "export", "set", "mkdir":
		return true
	}
	return false
}

// resume goes on behind commands of that outcome.
func (w *world) resume(o outcome) {
	if len(o.ok) == 0 {
		w.st.take(o.no)
		return
	}
	w.st.take(o.ok)
	for _, f := range o.no {
		if !slices.ContainsFunc(o.ok, func(have location) bool { return have.dir == f.dir }) {
			w.st.failed = append(w.st.failed, f)
		}
	}
}

// stops reports whether the shell ends when a command fails: set -e does nothing
// within a condition, nor in $(…).
func (w *world) stops() bool { return w.st.errexit && w.lax == 0 && w.capture == 0 }

// unguarded walks a part whose failure does not end the shell.
func (w *world) unguarded(walk func()) {
	w.lax++
	walk()
	w.lax--
}

// cdPath are the directories of CDPATH that a cd looks in first.
func (w *world) cdPath(target string) []string {
	v := w.st.find("CDPATH")
	if v == nil || target == "" || argv.IsRooted(target) || target[0] == '.' {
		return nil
	}
	var out []string
	for dir := range strings.SplitSeq(v.Word.Text, ":") {
		if len(out) >= maxWorlds {
			break
		}
		if dir != "" {
			out = append(out, dir)
		}
	}
	return out
}

// absolute is a directory by its whole name, as far as it is known.
func (w *world) absolute(dir string) string {
	at := w.st.context
	at.dir = ""
	return w.rawSpot(dir, &at)
}

// leaveWorld ends what is walked: the shell, or what of it goes on elsewhere, a function or
// a round of a loop. Behind these the shell is where it was left.
func (w *world) leaveWorld(name string, goesOn bool) {
	if slices.ContainsFunc(w.st.alias, func(a alias) bool { return a.name == name }) {
		return
	}
	if goesOn && !w.st.ended {
		w.left = unite(w.left, w.st.worlds())
	}
	w.st.ended = true
}

// returned is run behind a loop or a function, with what was left before it.
func (w *world) returned(before []location) {
	if len(w.left) > 0 {
		list := w.left
		if !w.st.ended {
			list = unite(w.st.worlds(), w.left)
		}
		failed := w.st.failed
		w.st.take(list)
		w.st.failed = failed
	}
	w.left = before
}

// others are the further directories that a call may run in, by name.
func (w *world) others(c *context) []string {
	if len(c.also) == 0 {
		return nil
	}
	out := make([]string, 0, len(c.also))
	for _, d := range c.also {
		if d == "" {
			if d = "."; w.place.Dir != "" && c.remote == "" {
				d = w.place.Dir
			}
		}
		if d != c.dir {
			out = append(out, d)
		}
	}
	return out
}
