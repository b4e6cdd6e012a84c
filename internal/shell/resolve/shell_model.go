package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// A shellModel models the shell that runs the text: its variables, functions, aliases and directories,
// and the settings of programs that the text changes.
type shellModel struct {
	findings
	st       state
	frames   []frame   // functions that are running
	settings []setting // settings of programs that the text changed and that later calls may use

	exports        []string // names of variables that all later calls get
	exportAll      bool     // set -a: every variable is exported
	unknownExports bool     // variables with unknown names are exported
	hijackVars     bool     // a hijack variable is set
	toolVars       bool     // a variable names a program that others start, or a directory that they clear
	trackedVars    bool     // a variable is set that isTrackedVariable accepts

	capture    int        // command substitutions around the current statement
	conds      int        // conditions around the current statement
	errexitOff int        // conditions around it in which set -e has no effect
	loops      int        // loops around the current statement
	exits      []location // locations at which break, continue or return left the current loop or function

	repoTop func(dir string) (string, bool) // see [InitialState.RepoTop]
	// realPath is [InitialState.RealPath]; nil = paths have no symlinks.
	realPath func(dir, path string) string
}

// A state is the state of a shell. Copies share their slices until one of them is changed.
type state struct {
	expand.Parameters
	vars   []expand.Variable
	funcs  []function
	alias  []alias
	dirs   []string // the directory stack of pushd
	old    string   // $OLDPWD
	out    string   // the file to which exec redirected standard output; "" = none
	shared bool     // a copy of the state uses the same slices

	onFailure []location // where the shell is if the last command failed; nil = the same as after success
	ended     bool       // exit, return, break or continue ended the current scope, so the next command does not run
	errexit   bool       // the shell stops when a command fails
	context
}

// A context describes where, and as which user, a command runs.
type context struct {
	// dir is the working directory; "" = that of the place.
	dir     string
	altDirs []string // further directories that the command may run in
	// remote is the host or container; "" = this machine.
	remote    string
	elevated  bool
	changedBy string // see [shell.Call.ChangedBy]
	wrapped   bool   // a wrapper may change where, as which user or how many times the command runs; see [command.transparent]
}

type function struct {
	name        string
	body        *syntax.Stmt
	conditional bool // only one branch defines it, or the branches define it differently
}

type alias struct {
	name, text string
	from       []*shell.Call
}

// saveState returns a copy of the current state that can be restored later. Both share their slices
// from now on.
func (w *shellModel) saveState() state {
	w.st.shared = true
	return w.st
}

// unshareState copies the slices of the state if another copy uses them. It must be called before they
// are changed.
func (w *shellModel) unshareState() {
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

// lookupVariable returns the variable with this name, or nil if the text did not set one.
func (s *state) lookupVariable(name string) *expand.Variable {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].Name == name {
			return &s.vars[i]
		}
	}
	return nil
}

// setVariable stores v, replacing a variable of the same name and all its attributes.
func (w *shellModel) setVariable(v expand.Variable) {
	if v.Name == "" {
		return
	}
	w.trackedVars = w.trackedVars || isTrackedVariable(&v)
	w.hijackVars = w.hijackVars || facts.FindHijack(v.Name) != nil
	s := &w.st
	w.unshareState()
	if old := s.lookupVariable(v.Name); old != nil {
		*old = v
		return
	}
	if len(s.vars) >= maxVars {
		w.reportLimit()
		return
	}
	s.vars = append(s.vars, v)
}

// setVariableWord sets the variable name to value, without attributes.
func (w *shellModel) setVariableWord(name string, value shell.Word) {
	w.setVariable(expand.Variable{Name: name, Word: value})
}

// lookupFunction returns the function with this name, or nil if there is none.
func (s *state) lookupFunction(name string) *function {
	for i := range s.funcs {
		if s.funcs[i].name == name {
			return &s.funcs[i]
		}
	}
	return nil
}

func (w *shellModel) defineFunction(name string, body *syntax.Stmt) {
	s := &w.st
	w.unshareState()
	f := function{name: name, body: body}
	if old := s.lookupFunction(name); old != nil {
		*old = f
	} else if len(s.funcs) < maxVars {
		s.funcs = append(s.funcs, f)
	} else {
		w.reportLimit()
	}
}

// mergeState merges other, the state after another branch, into the current state. Afterwards the
// values of either branch are possible.
func (w *shellModel) mergeState(other *state) {
	s := &w.st
	s.mergeLocations(other)
	s.errexit = s.errexit && other.errexit
	if !isSameSlice(s.vars, other.vars) {
		w.unshareState()
		w.steps -= len(other.vars)
		for i := range other.vars {
			w.mergeVariable(&other.vars[i])
		}
	}
	w.mergeFunctions(other)
	if len(other.alias) > len(s.alias) {
		w.unshareState()
		s.alias = append(s.alias, other.alias[len(s.alias):]...)
	}
}

// mergeLocations merges the directories of other into s, those of other first. A state that has ended
// adds none.
func (s *state) mergeLocations(other *state) {
	switch {
	case other.ended:
		return
	case s.ended:
		s.context.dir, s.altDirs, s.onFailure, s.old, s.ended = other.dir, other.altDirs, other.onFailure, other.old, false
		return
	case s.dir == other.dir && len(s.altDirs)+len(other.altDirs) == 0 && s.onFailure == nil && other.onFailure == nil:
		s.old = other.old
		return
	}
	failed := unionLocations(other.onFailure, s.onFailure)
	if other.old != "" {
		s.old = other.old
	}
	s.setLocations(unionLocations(other.locations(), s.locations()))
	s.onFailure = failed
}

// isSameSlice reports whether a and b are the same slice, not only equal.
func isSameSlice(a, b []expand.Variable) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// mergeVariable adds the value of v to the variable of the same name. If the values differ, the
// variable then has both; an array then has one element that stands for any number of either.
func (w *shellModel) mergeVariable(v *expand.Variable) {
	mine := w.st.lookupVariable(v.Name)
	if mine == nil {
		if len(w.st.vars) >= maxVars {
			w.reportLimit()
			return
		}
		w.st.vars = append(w.st.vars, *v)
		return
	}
	same := slices.EqualFunc(mine.List, v.List, func(a, b shell.Word) bool { return a.Text == b.Text })
	if same && mine.Word.Text == v.Word.Text && len(mine.Alts) == len(v.Alts) {
		mine.Word.From = expand.AddSources(mine.Word.From, v.Word.From)
		return
	}
	if v.Array || mine.Array {
		any := expand.UnknownElement(append(slices.Clone(v.List), mine.List...))
		any.From = expand.AddSource(any.From[:len(any.From):len(any.From)], expand.OpaqueSource)
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

// mergeFunctions adds the functions of other, the state after another branch. Functions that are not
// the same in both become conditional.
func (w *shellModel) mergeFunctions(other *state) {
	s := &w.st
	if len(s.funcs) == len(other.funcs) && (len(s.funcs) == 0 || &s.funcs[0] == &other.funcs[0]) {
		return
	}
	w.unshareState()
	for _, f := range other.funcs {
		mine := s.lookupFunction(f.name)
		if mine == nil && len(s.funcs) >= maxVars {
			w.reportLimit()
		} else if mine == nil {
			f.conditional = true
			s.funcs = append(s.funcs, f)
		} else if mine != nil && mine.body != f.body {
			mine.body, mine.conditional = f.body, true
		}
	}
	for i := range s.funcs {
		if other.lookupFunction(s.funcs[i].name) == nil {
			s.funcs[i].conditional = true
		}
	}
}

// homeDir returns the directory that ~ expands to, or "~" if it is unknown.
func (w *shellModel) homeDir() string {
	if w.trace != nil {
		if v := w.st.lookupVariable("HOME"); v != nil && !v.Unset {
			return v.Word.Text
		}
	}
	if w.place.Home != "" && w.st.remote == "" {
		return w.place.Home
	}
	return "~"
}

// workingDir returns the value of $PWD, or "." if it is unknown.
func (w *shellModel) workingDir() string {
	switch {
	case w.st.dir != "":
		return w.st.dir
	case w.place.Dir != "" && w.st.remote == "":
		return w.place.Dir
	}
	return "."
}

// cleanJoin joins base and rel without reading the file system. It keeps a .. that would remove a
// placeholder or the first element of a relative path, such as ~.
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
			if i < 0 || last == ".." || strings.Contains(last, placeholder) {
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

// variableCopy returns a copy of the variable name for restoreVariables. If there is none, the copy is
// marked as Gone.
func (w *shellModel) variableCopy(name string) expand.Variable {
	if v := w.st.lookupVariable(name); v != nil {
		return *v
	}
	return expand.Variable{Name: name, Unset: true}
}

// restoreVariables restores, in reverse order, variables that variableCopy returned.
func (w *shellModel) restoreVariables(hidden []expand.Variable) {
	for i := len(hidden) - 1; i >= 0; i-- {
		v := hidden[i]
		if !v.Unset {
			w.setVariable(v)
			continue
		}
		w.deleteVariable(v.Name)
	}
}

// deleteVariable removes the variable name as if the text had never set it.
func (w *shellModel) deleteVariable(name string) {
	w.unshareState()
	for i := range w.st.vars {
		if w.st.vars[i].Name == name {
			w.st.vars = append(w.st.vars[:i], w.st.vars[i+1:]...)
			return
		}
	}
}

// mergeBefore merges before, the state before a part that may not have run, into the current state.
// The values that the part set come first.
func (w *shellModel) mergeBefore(before *state) {
	after := w.st
	w.st = *before
	w.st.shared = true
	w.mergeState(&after)
}

// oldDir returns the value of $OLDPWD, or a placeholder if it is unknown.
func (w *shellModel) oldDir() string {
	if w.st.old != "" {
		return w.st.old
	}
	return placeholder
}
