package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A Trace lists everything that a command starts, and what of it cannot be determined.
type Trace struct {
	Calls  []*shell.Call
	Starts []Start
	Texts  []Evaluation
	Gaps   []Gap

	called []*syntax.Stmt // bodies of the functions that were called
}

// A Start is a program that starts, or a file that a shell sources. Trace.Calls lacks some of these
// programs: wrappers, and shells whose code is known.
type Start struct {
	Call *shell.Call
	Word shell.Word // the program, as the text names it
	// Search is the value of PATH if the text or its environment sets it, and nil otherwise.
	Search *shell.Word
	// HijackVars are the hijack variables that make the program run other code.
	HijackVars []shell.Variable
	// Open are the redirections of earlier exec commands. Streams are the arguments that name process
	// substitutions, whose contents the text determines.
	Open    []shell.Redirect
	Streams []string
	Builtin bool // the shell runs it itself
	// Vars are the variables that the program gets. For a file that a shell sources they are all
	// variables of the shell, and Args are its arguments. The further values of a variable with
	// several values follow under the same name.
	Vars []shell.Variable
	Args []shell.Word
}

// An Evaluation is code that a shell runs and that is not fully known. Its placeholders stand for the
// output of the calls in Text.From or, if there are none, for variables.
type Evaluation struct {
	// By has the words of the command that runs the code.
	By   string
	Text shell.Word
}

// A Gap is a part of a command that was not followed.
type Gap struct{ Words, Reason string }

// An InitialState is the state of the shell in which a command starts.
type InitialState struct {
	Vars []shell.Variable // the environment, as far as it is known; see [Start.Vars]
	In   *shell.Flow      // standard input; nil = unknown
	Zero string           // $0 of a script; "" = the text is not a script
	Args []shell.Word     // $1 and the following arguments of a script
	// POSIX means that the shell has no extensions beyond POSIX: braces are literal, and [[ is a
	// program.
	POSIX bool
	// RepoTop returns the top directory of the repository that contains dir, as git does, and false if
	// there is none. It may be nil.
	RepoTop func(dir string) (string, bool)
	// RealPath returns path, relative to dir, with all symlinks resolved. If RealPath is nil, paths
	// are taken to have no symlinks.
	RealPath func(dir, path string) string
}

// TraceText walks text like [Calls], for callers that need to know which files run.
func TraceText(text string, p shell.Place, s *InitialState) *Trace {
	w := newTracer(&p, s)
	w.walkText(text)
	return w.finishTrace()
}

// TraceWords is like [TraceText] for a program and its arguments that no shell reads.
func TraceWords(words []shell.Word, p shell.Place, s *InitialState) *Trace {
	w := newTracer(&p, s)
	w.depth++
	c := w.newCommand()
	c.words, c.skipFunctions = words, true
	w.resolveCommand(c)
	w.depth--
	return w.finishTrace()
}

// newTracer returns a walker that records a trace and starts in the state s.
func newTracer(p *shell.Place, s *InitialState) *walker {
	w := newWalker(p)
	w.trace, w.repoTop, w.realPath, w.POSIX, w.in = &Trace{}, s.RepoTop, s.RealPath, s.POSIX, s.In
	d := declaration{export: true}
	for i := range s.Vars {
		v := &s.Vars[i]
		if i > 0 && s.Vars[i-1].Name == v.Name {
			if had := w.st.lookupVariable(v.Name); had != nil {
				had.AddAlt(v.Value)
				w.Alts = max(w.Alts, len(had.Alts))
			}
			continue
		}
		d.applyWord(w, shell.Word{Text: v.Name + "=" + v.Value.Text, From: v.Value.From})
	}
	if s.Zero != "" {
		w.st.Zero, w.st.Args, w.st.ArgsKnown = s.Zero, s.Args, true
		w.setVariable(expand.Variable{Name: "BASH_SOURCE", Array: true, List: []shell.Word{{Text: s.Zero}}})
	}
	return w
}

// finishTrace walks what runs at the end of the text, and the functions that were not called. It
// returns the trace.
func (w *walker) finishTrace() *Trace {
	w.walkExitActions(0)
	w.walkUncalledFunctions()
	w.trace.Calls = w.calls
	return w.trace
}

// walkUncalledFunctions walks the functions that a script defines and does not call, because a shell
// that sources the script may call them.
func (w *walker) walkUncalledFunctions() {
	if w.st.Zero == "" {
		return
	}
	for i := 0; i < len(w.st.funcs); i++ {
		f := w.st.funcs[i]
		if slices.Contains(w.trace.called, f.body) || len(w.frames) > 0 {
			continue
		}
		w.trace.called = append(w.trace.called, f.body)
		args, given := w.st.Args, w.st.ArgsKnown
		w.st.Args, w.st.ArgsKnown = nil, false
		w.depth++
		w.frames = append(w.frames, frame{body: f.body, forks: w.forks, conds: w.conds})
		w.walkStmt(f.body)
		w.frames = w.frames[:0]
		w.depth--
		w.st.Args, w.st.ArgsKnown = args, given
	}
}

// recordStart adds the program that c starts to the trace.
func (w *walker) recordStart(c *command) {
	own := !c.skipFunctions && c.hops == 0 && argv.IsBuiltin(c.words[0].Text)
	if c.guessed || own && c.words[0].Text != "." {
		return
	}
	copied := *c
	s := Start{Call: w.newCall(&copied), Word: c.words[0], Builtin: own}
	if v := w.st.lookupVariable("PATH"); v != nil {
		word := v.Word
		if v.Unset {
			word = shell.Word{} // shells then search the working directory
		}
		s.Search = &word
	}
	if w.unknownExports && !own {
		w.addGap("export", "sets variables whose names are known only at run time")
		w.unknownExports = false // one gap is enough
	}
	if git := program.RunsOf(s.Call.Name) == program.RunsGit; w.hijackVars || git {
		for i := range w.st.vars {
			v := &w.st.vars[i]
			if v.Unset || v.Word.Text == "" {
				continue
			}
			if h := facts.FindHijack(v.Name); h != nil && h.AppliesTo(s.Call.Name) || git && (strings.HasPrefix(v.Name, "GIT_CONFIG_") || facts.OverridesGitDir(v.Name)) {
				s.HijackVars = append(s.HijackVars, shell.Variable{Name: v.Name, Value: v.Word})
			}
		}
	}
	s.Open = w.opens[:len(w.opens):len(w.opens)]
	for i := range c.words {
		if t := c.words[i].Text; strings.HasPrefix(t, "/dev/fd/") && w.pathFlow(t) != nil {
			s.Streams = append(s.Streams, t)
		}
	}
	w.addStartVars(&s, c)
	if len(w.trace.Starts) >= maxCalls {
		w.reportLimit()
		return
	}
	w.trace.Starts = append(w.trace.Starts, s)
}

// addStartVars adds the variables that c gets to s; see [Start.Vars].
func (w *walker) addStartVars(s *Start, c *command) {
	all := c.words[0].Text == "." || c.words[0].Text == "source"
	if all && w.st.ArgsKnown {
		s.Args = w.st.Args
	}
	w.steps -= len(w.st.vars) / 8
	for i := range w.st.vars {
		v := &w.st.vars[i]
		if v.Unset || v.Array || v.Name == "" || slices.ContainsFunc(c.env, func(e shell.Variable) bool { return e.Name == v.Name }) {
			continue
		}
		if !all && !w.exportAll && !slices.Contains(w.exports, v.Name) {
			continue
		}
		s.Vars = append(s.Vars, shell.Variable{Name: v.Name, Value: v.Word})
		for _, also := range v.Alts {
			s.Vars = append(s.Vars, shell.Variable{Name: v.Name, Value: also})
		}
	}
	s.Vars = append(s.Vars, c.env...)
}

// recordKeyword adds name, a keyword of Bash, to the trace if the shell is a POSIX shell, where it may
// be a program.
func (w *walker) recordKeyword(name string) {
	if w.POSIX {
		c := w.newCommand()
		c.words, c.skipFunctions = []shell.Word{{Text: name}}, true
		w.recordStart(&c)
	}
}
