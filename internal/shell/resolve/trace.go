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

// A Trace is all that a text starts, and what of it cannot be told.
type Trace struct {
	Calls  []*shell.Call
	Starts []Start
	Texts  []Evaluation
	Untold []Untold

	called []*syntax.Stmt // bodies of functions
}

// A Start is a program that is started, or a file that a shell reads in. Calls leave
// some of them out: wrappers, and shells whose text is known.
type Start struct {
	Call *shell.Call
	Word shell.Word // the program, as it is named
	// Search is PATH, when the text or what it was given sets it.
	Search *shell.Word
	// Bent are the variables that make the program run code that is not its own.
	Bent []shell.Variable
	// Open are the files that exec opened before, and Streams the words that name
	// something else that the text itself says what it holds.
	Open    []shell.Redirect
	Streams []string
	Own     bool // the shell does it itself
	// Vars are the variables that it gets; of a file that a shell reads in, all that
	// there are, with the shell's own arguments. What a variable may hold as well
	// follows it under the same name.
	Vars []shell.Variable
	Args []shell.Word
}

// An Evaluation is a text that a shell runs and that is not all known. Its holes are
// what the calls in From print; without any, variables.
type Evaluation struct {
	By   string
	Text shell.Word
}

// An Untold is something that was not followed.
type Untold struct{ Words, Reason string }

// A Setting is what a text starts with.
type Setting struct {
	Vars []shell.Variable // the environment, as far as it is known; see [Start.Vars]
	In   *shell.Flow      // standard input; nil = nothing is known of it
	Zero string           // $0 of a script; "" = the text is no script
	Args []shell.Word     // $1 and on, of a script
	// Plain reads as a shell does that knows no more than POSIX has: braces mean
	// themselves, and [[ is a program.
	Plain bool
	// Top is the top of the repository that a directory lies in, as git has it; nil =
	// it is not known.
	Top func(dir string) (string, bool)
	// Real is where a path leads for a process in a directory, behind all links; nil =
	// there are none.
	Real func(dir, path string) string
}

// Follow is [Calls] for whoever wants to know which files run.
func Follow(text string, p shell.Place, s *Setting) *Trace {
	w := tracer(&p, s)
	w.walkText(text)
	return w.traced()
}

// FollowWords is [Follow] for a program with its arguments, without a shell.
func FollowWords(words []shell.Word, p shell.Place, s *Setting) *Trace {
	w := tracer(&p, s)
	w.depth++
	c := w.newCommand()
	c.words, c.skipFunctions = words, true
	w.resolveCommand(c)
	w.depth--
	return w.traced()
}

func tracer(p *shell.Place, s *Setting) *walker {
	w := newWalker(p)
	w.trace, w.repoTop, w.realPath, w.POSIX, w.in = &Trace{}, s.Top, s.Real, s.Plain, s.In
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

func (w *walker) traced() *Trace {
	w.walkEndings(0)
	w.uncalled()
	w.trace.Calls = w.calls
	return w.trace
}

// uncalled walks the functions of a script that it does not call itself: whoever reads
// it in may.
func (w *walker) uncalled() {
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

// started notes a program that a command starts.
func (w *walker) started(c *command) {
	own := !c.skipFunctions && c.hops == 0 && argv.IsBuiltin(c.words[0].Text)
	if c.guessed || own && c.words[0].Text != "." {
		return
	}
	copied := *c
	s := Start{Call: w.newCall(&copied), Word: c.words[0], Own: own}
	if v := w.st.lookupVariable("PATH"); v != nil {
		word := v.Word
		if v.Gone {
			word = shell.Word{} // shells look where they are then
		}
		s.Search = &word
	}
	if w.unknownExports && !own {
		w.addGap("export", "sets variables whose names are known only at run time")
		w.unknownExports = false // said
	}
	if git := program.RunsOf(s.Call.Name) == program.RunsGit; w.hijackVars || git {
		for i := range w.st.vars {
			v := &w.st.vars[i]
			if v.Gone || v.Word.Text == "" {
				continue
			}
			if h := facts.FindHijack(v.Name); h != nil && h.AppliesTo(s.Call.Name) || git && (strings.HasPrefix(v.Name, "GIT_CONFIG_") || facts.OverridesGitDir(v.Name)) {
				s.Bent = append(s.Bent, shell.Variable{Name: v.Name, Value: v.Word})
			}
		}
	}
	s.Open = w.opens[:len(w.opens):len(w.opens)]
	for i := range c.words {
		if t := c.words[i].Text; strings.HasPrefix(t, "/dev/fd/") && w.pathFlow(t) != nil {
			s.Streams = append(s.Streams, t)
		}
	}
	w.handOn(&s, c)
	if len(w.trace.Starts) >= maxCalls {
		w.reportLimit()
		return
	}
	w.trace.Starts = append(w.trace.Starts, s)
}

// handOn notes the variables that a command gets.
func (w *walker) handOn(s *Start, c *command) {
	all := c.words[0].Text == "." || c.words[0].Text == "source"
	if all && w.st.ArgsKnown {
		s.Args = w.st.Args
	}
	w.steps -= len(w.st.vars) / 8
	for i := range w.st.vars {
		v := &w.st.vars[i]
		if v.Gone || v.Array || v.Name == "" || slices.ContainsFunc(c.env, func(e shell.Variable) bool { return e.Name == v.Name }) {
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

// keyword notes a word that only some shells know: to others it is a program.
func (w *walker) keyword(name string) {
	if w.POSIX {
		c := w.newCommand()
		c.words, c.skipFunctions = []shell.Word{{Text: name}}, true
		w.started(&c)
	}
}
