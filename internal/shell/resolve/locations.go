package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell/argv"
)

// A cd may fail, and then everything after it runs where the shell was before. So a
// shell has several locations: the directory that it is most likely in, and others that
// are possible. A command after && runs only in the locations of a successful cd, and a
// command after ; or a newline runs in all of them.

// A location is a directory that a shell may be in.
type location struct {
	dir         string // "" = the directory of the place
	ifMissing   string // the shell is here only if this directory is missing; "" = in any case
	pastErrexit bool   // set -e does not stop the shell from getting here
}

// maxLocations bounds the locations that are tracked. If there are more, a placeholder stands for the
// others.
const maxLocations = 3

// locations returns the directories that the shell may be in now, the likeliest first.
func (s *state) locations() []location {
	out := make([]location, 1, 1+len(s.altDirs))
	out[0].dir = s.dir
	for _, d := range s.altDirs {
		out = append(out, location{dir: d})
	}
	return out
}

// setLocations sets the directories that the shell may be in to list. If list is empty, the shell has
// ended, and its directories stay as they were.
func (s *state) setLocations(list []location) {
	s.onFailure = nil
	if s.ended = len(list) == 0; s.ended {
		return
	}
	s.dir, s.altDirs = list[0].dir, nil
	for _, w := range list[1:] {
		s.altDirs = append(s.altDirs, w.dir)
	}
}

// unionLocations returns the locations of a followed by those of b that a lacks, at most maxLocations
// and a placeholder.
func unionLocations(a, b []location) []location {
	out := a[:len(a):len(a)]
	for _, w := range b {
		i := slices.IndexFunc(out, func(have location) bool { return have.dir == w.dir })
		switch {
		case i >= 0:
			if w.ifMissing == "" && out[i].ifMissing != "" {
				out = slices.Clone(out)
				out[i] = w
			}
		case len(out) < maxLocations:
			out = append(out, w)
		case out[len(out)-1].dir != placeholder:
			out = append(out, location{dir: placeholder})
		}
	}
	return out
}

// An outcome holds the locations of the shell after a command that succeeded, and after one that
// failed.
type outcome struct{ success, failure []location }

// lastOutcome returns the outcome of s, the statement that was walked last.
func (w *shellModel) lastOutcome(s *syntax.Stmt) outcome {
	if w.st.ended {
		return outcome{}
	}
	o := outcome{success: w.st.locations()}
	switch {
	case w.st.onFailure != nil:
		o.failure = w.st.onFailure
	case !alwaysSucceeds(s):
		o.failure = o.success
	}
	if s != nil && s.Negated {
		o.success, o.failure = o.failure, o.success
	}
	return o
}

// alwaysSucceeds reports whether s is a command that is assumed never to fail.
func alwaysSucceeds(s *syntax.Stmt) bool {
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

// continueAfter sets the locations of the shell to those after commands with the outcome o.
func (w *shellModel) continueAfter(o outcome) {
	if len(o.success) == 0 {
		w.st.setLocations(o.failure)
		return
	}
	w.st.setLocations(o.success)
	for _, f := range o.failure {
		if !slices.ContainsFunc(o.success, func(have location) bool { return have.dir == f.dir }) {
			w.st.onFailure = append(w.st.onFailure, f)
		}
	}
}

// stopsOnFailure reports whether set -e ends the shell when a command fails. It has no effect in
// conditions and in $(…).
func (w *shellModel) stopsOnFailure() bool {
	return w.st.errexit && w.errexitOff == 0 && w.capture == 0
}

// withErrexitOff calls walk for commands whose failure does not end the shell, as in a condition.
func (w *shellModel) withErrexitOff(walk func()) {
	w.errexitOff++
	walk()
	w.errexitOff--
}

// cdPathDirs returns the directories of CDPATH in which cd searches for target first.
func (w *shellModel) cdPathDirs(target string) []string {
	v := w.st.lookupVariable("CDPATH")
	if v == nil || target == "" || argv.IsRootedPath(target) || target[0] == '.' {
		return nil
	}
	var out []string
	for dir := range strings.SplitSeq(v.Word.Text, ":") {
		if len(out) >= maxLocations {
			break
		}
		if dir != "" {
			out = append(out, dir)
		}
	}
	return out
}

// absoluteDir returns the absolute path of dir, or dir itself if the directory of the place is
// unknown.
func (w *shellModel) absoluteDir(dir string) string {
	at := w.st.context
	at.dir = ""
	return w.lexicalPath(dir, &at)
}

// exitScope walks exit, return, break or continue, which end the shell, a function or a loop
// iteration. If goesOn is true, the shell continues after that scope in its current locations.
func (w *shellModel) exitScope(name string, goesOn bool) {
	if slices.ContainsFunc(w.st.alias, func(a alias) bool { return a.name == name }) {
		return
	}
	if goesOn && !w.st.ended {
		w.exits = unionLocations(w.exits, w.st.locations())
	}
	w.st.ended = true
}

// mergeExits adds the locations at which the current loop or function was left to those of the shell.
// before are the exits of the enclosing loop or function, which it restores.
func (w *shellModel) mergeExits(before []location) {
	if len(w.exits) > 0 {
		list := w.exits
		if !w.st.ended {
			list = unionLocations(w.st.locations(), w.exits)
		}
		failed := w.st.onFailure
		w.st.setLocations(list)
		w.st.onFailure = failed
	}
	w.exits = before
}

// alternativeDirs returns the other directories in which a call with the context c may run.
func (w *shellModel) alternativeDirs(c *context) []string {
	if len(c.altDirs) == 0 {
		return nil
	}
	out := make([]string, 0, len(c.altDirs))
	for _, d := range c.altDirs {
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
