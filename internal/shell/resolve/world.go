package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// A world is what the text set: variables, functions, aliases, directories, and settings of
// programs.
type world struct {
	findings
	st       state
	frames   []frame   // functions that are running
	settings []setting // of programs, that a later call may run

	exports   []string // variables that all later calls have
	exportAll bool     // so are all that are set
	loose     bool     // variables whose names are not known are handed on
	bent      bool     // a variable makes programs run other code
	tools     bool     // a variable names a program that others start, or what they clear
	carries   bool     // a variable has in it what others print, and where it goes

	capture int        // command substitutions around what is walked
	conds   int        // conditions around it
	lax     int        // conditions in which set -e does nothing
	loops   int        // loops around it
	left    []location // where loops and functions were left from within

	top  func(dir string) (string, bool) // see [Setting]
	real func(dir, path string) string
}

// A state is what a shell knows. Copies share their lists until one changes.
type state struct {
	expand.Parameters
	vars   []expand.Variable
	funcs  []function
	alias  []alias
	dirs   []string // of pushd
	old    string   // $OLDPWD
	out    string   // the file that exec made standard output
	shared bool     // the lists belong to a copy as well

	failed  []location // where the shell is if the last command failed; nil = where it is anyway
	ended   bool       // nothing runs behind the last command: exit, return
	errexit bool       // the shell stops when a command fails
	context
}

// A context is where and as whom commands run.
type context struct {
	dir      string
	also     []string // further directories that it may be
	remote   string
	elevated bool
	apart    string // see [shell.Call.Apart]
	wrapped  bool   // through a program that may change where, as whom or how often; see [command.clear]
}

type function struct {
	name  string
	body  *syntax.Stmt
	maybe bool // only one branch defines it
}

type alias struct {
	name, text string
	from       []*shell.Call
}

// save returns the state so that it can be put back.
func (w *world) save() state {
	w.st.shared = true
	return w.st
}

// own makes the lists of the state ready to be changed.
func (w *world) own() {
	s := &w.st
	if !s.shared {
		return
	}
	w.steps -= (len(s.vars) + len(s.funcs) + len(s.alias)) / 8
	s.vars = slices.Clone(s.vars)
	s.funcs = slices.Clone(s.funcs)
	s.alias = slices.Clone(s.alias)
	s.dirs = slices.Clone(s.dirs)
	s.shared = false
}

func (s *state) find(name string) *expand.Variable {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].Name == name {
			return &s.vars[i]
		}
	}
	return nil
}

// put sets a variable as a whole.
func (w *world) put(v expand.Variable) {
	if v.Name == "" {
		return
	}
	w.carries = w.carries || carries(&v)
	w.bent = w.bent || facts.HijackOf(v.Name) != nil
	s := &w.st
	w.own()
	if old := s.find(v.Name); old != nil {
		*old = v
		return
	}
	if len(s.vars) >= maxVars {
		w.tooMuch()
		return
	}
	s.vars = append(s.vars, v)
}

func (w *world) set(name string, value shell.Word) { w.put(expand.Variable{Name: name, Word: value}) }

func (s *state) function(name string) *function {
	for i := range s.funcs {
		if s.funcs[i].name == name {
			return &s.funcs[i]
		}
	}
	return nil
}

func (w *world) define(name string, body *syntax.Stmt) {
	s := &w.st
	w.own()
	f := function{name: name, body: body}
	if old := s.function(name); old != nil {
		*old = f
	} else if len(s.funcs) < maxVars {
		s.funcs = append(s.funcs, f)
	} else {
		w.tooMuch()
	}
}

// join takes up what a branch changed: from here on either may be true.
func (w *world) join(other *state) {
	s := &w.st
	s.joinWorlds(other)
	s.errexit = s.errexit && other.errexit
	if !sameVars(s.vars, other.vars) {
		w.own()
		w.steps -= len(other.vars)
		for i := range other.vars {
			w.joinVar(&other.vars[i])
		}
	}
	w.joinFuncs(other)
	if len(other.alias) > len(s.alias) {
		w.own()
		s.alias = append(s.alias, other.alias[len(s.alias):]...)
	}
}

// joinWorlds is join for directories. What was changed last comes first.
func (s *state) joinWorlds(other *state) {
	switch {
	case other.ended:
		return
	case s.ended:
		s.context.dir, s.also, s.failed, s.old, s.ended = other.dir, other.also, other.failed, other.old, false
		return
	case s.dir == other.dir && len(s.also)+len(other.also) == 0 && s.failed == nil && other.failed == nil:
		s.old = other.old
		return
	}
	failed := unite(other.failed, s.failed)
	if other.old != "" {
		s.old = other.old
	}
	s.take(unite(other.worlds(), s.worlds()))
	s.failed = failed
}

func sameVars(a, b []expand.Variable) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (w *world) joinVar(v *expand.Variable) {
	mine := w.st.find(v.Name)
	if mine == nil {
		if len(w.st.vars) >= maxVars {
			w.tooMuch()
			return
		}
		w.st.vars = append(w.st.vars, *v)
		return
	}
	same := slices.EqualFunc(mine.List, v.List, func(a, b shell.Word) bool { return a.Text == b.Text })
	if same && mine.Word.Text == v.Word.Text && len(mine.Alts) == len(v.Alts) {
		mine.Word.From = expand.AddFrom(mine.Word.From, v.Word.From)
		return
	}
	if v.Array || mine.Array {
		any := expand.AnyOf(append(slices.Clone(v.List), mine.List...))
		any.From = expand.AddCall(any.From[:len(any.From):len(any.From)], expand.Shaped)
		*mine = *v
		mine.List, mine.More, mine.Array = []shell.Word{any}, true, true
		return
	}
	was := *mine
	*mine = *v
	mine.Alts = slices.Clone(v.Alts)
	mine.AddAlt(was.Word)
	for _, a := range was.Alts {
		mine.AddAlt(a)
	}
}

func (w *world) joinFuncs(other *state) {
	s := &w.st
	if len(s.funcs) == len(other.funcs) && (len(s.funcs) == 0 || &s.funcs[0] == &other.funcs[0]) {
		return
	}
	w.own()
	for _, f := range other.funcs {
		mine := s.function(f.name)
		if mine == nil && len(s.funcs) >= maxVars {
			w.tooMuch()
		} else if mine == nil {
			f.maybe = true
			s.funcs = append(s.funcs, f)
		} else if mine != nil && mine.body != f.body {
			mine.body, mine.maybe = f.body, true
		}
	}
	for i := range s.funcs {
		if other.function(s.funcs[i].name) == nil {
			s.funcs[i].maybe = true
		}
	}
}

// home is what ~ means, as far as it is known.
func (w *world) home() string {
	if w.trace != nil {
		if v := w.st.find("HOME"); v != nil && !v.Gone {
			return v.Word.Text
		}
	}
	if w.place.Home != "" && w.st.remote == "" {
		return w.place.Home
	}
	return "~"
}

// cwd is what $PWD means. A dot is as good as a directory that is not known.
func (w *world) cwd() string {
	switch {
	case w.st.dir != "":
		return w.st.dir
	case w.place.Dir != "" && w.st.remote == "":
		return w.place.Dir
	}
	return "."
}

// cleanJoin joins without reading the file system. A .. that would climb over a
// hole or over ~ stays.
func cleanJoin(base, rel string) string {
	base = strings.TrimRight(base, "/")
	for rel != "" {
		part, rest, _ := strings.Cut(rel, "/")
		rel = rest
		switch part {
		case "", ".":
		case "..":
			i := strings.LastIndexByte(base, '/')
			last := base[i+1:]
			if i < 0 || last == ".." || strings.Contains(last, hole) {
				base += "/.."
			} else {
				base = base[:i]
			}
		default:
			base += "/" + part
		}
	}
	if base == "" {
		return "/"
	}
	return base
}

// hide returns a variable as it is now, to be put back; gone when there is none.
func (w *world) hide(name string) expand.Variable {
	if v := w.st.find(name); v != nil {
		return *v
	}
	return expand.Variable{Name: name, Gone: true}
}

func (w *world) unhide(hidden []expand.Variable) {
	for i := len(hidden) - 1; i >= 0; i-- {
		v := hidden[i]
		if !v.Gone {
			w.put(v)
			continue
		}
		w.forget(v.Name)
	}
}

// forget drops a variable as if the text had never named it.
func (w *world) forget(name string) {
	w.own()
	for i := range w.st.vars {
		if w.st.vars[i].Name == name {
			w.st.vars = append(w.st.vars[:i], w.st.vars[i+1:]...)
			return
		}
	}
}

// settle ends a part that may not have run: from here on the state before it may
// be true as well. What was changed last comes first.
func (w *world) settle(before *state) {
	after := w.st
	w.st = *before
	w.st.shared = true
	w.join(&after)
}

func (w *world) oldDir() string {
	if w.st.old != "" {
		return w.st.old
	}
	return hole
}
