package resolve

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// An ending is what a shell runs when all else is done: a trap, or a process that
// reads what the others write.
type ending struct {
	text shell.Word // of a trap
	cmd  command
	vars []expand.Variable // that the trap saw when it was set

	before []*shell.Call // that the trap made when it was set

	tap
	out   *outputBuffer // where its own output goes
	piped bool
}

// A tap is a process that reads what is written to a pipe: >(…), or a coprocess.
type tap struct {
	fd    int // of the pipe, under which /dev/fd has it
	stmts []*syntax.Stmt
	sink  *outputBuffer
}

// maxPipes leaves the numbers of pipes two digits, far from those that texts name.
const maxPipes = 40

// coprocess walks coproc NAME command: NAME[1] is a pipe to it.
func (w *walker) coprocess(c *syntax.CoprocClause) {
	name := "COPROC"
	if c.Name != nil {
		name = w.Word(c.Name).Text
	}
	if call, is := c.Stmt.Cmd.(*syntax.CallExpr); is && len(call.Args) > 0 && len(call.Assigns) > 0 {
		w.opaque("coproc", "starts a command whose words checkrein cannot tell from variables")
	}
	t, ok := w.pipe([]*syntax.Stmt{c.Stmt})
	if !ok || len(w.endings) >= maxVars {
		w.tooMuch()
		was := w.saveState()
		w.walkStmt(c.Stmt)
		w.st = was
		return
	}
	w.kept = len(w.pipes)
	fd := strconv.Itoa(t.fd)
	if syntax.ValidName(name) {
		w.setVariable(expand.Variable{Name: name, Array: true, List: []shell.Word{{Text: placeholder}, {Text: fd}}})
	}
	w.opens = append(w.opens, shell.Redirect{Op: ">", Fd: fd, Target: shell.Word{Text: "/dev/fd/" + fd}})
	w.endings = append(w.endings, ending{tap: t, out: w.sink, piped: w.piped})
}

// trap walks a command that runs when the shell ends or gets a signal. It sees
// the variables of that time, so it is walked at the end; but as the end may come
// at any time, also now, if now it is known what it does.
func (w *walker) trap(c *command) {
	w.noProgram(c)
	args := c.words[1:]
	for len(args) > 0 && (args[0].Text == "--" || args[0].Text == "-p" || args[0].Text == "-l") {
		args = args[1:]
	}
	if len(args) < 2 {
		return
	}
	if args[0].Text == "-" || args[0].Text == "" {
		if w.conds == 0 {
			w.untrap()
		}
		return
	}
	e := ending{text: args[0], cmd: *c, vars: w.saveState().vars}
	if len(w.endings) >= maxVars {
		w.tooMuch()
		return
	}
	if isName(args[0].Text) && w.st.lookupFunction(args[0].Text) == nil {
		w.endings = append(w.endings, e) // a function that is still to come
		return
	}
	calls, problems, was := len(w.calls), len(w.problems), w.saveState()
	w.code(args[0], c)
	w.st = was
	if w.spent {
		return
	}
	if len(w.problems) > problems || holed(w.calls[calls:]) {
		w.calls, w.problems = w.calls[:calls], w.problems[:problems]
	} else if args[1].Text == "RETURN" {
		return
	}
	e.before = slices.Clone(w.calls[calls:])
	w.endings = append(w.endings, e)
}

// isName reports whether a text is one word that may be the name of a function.
func isName(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// sameCalls reports whether two lists of calls do the same.
func sameCalls(a, b []*shell.Call) bool {
	return slices.EqualFunc(a, b, func(x, y *shell.Call) bool {
		return x.Path == y.Path && x.Dir == y.Dir && len(x.Redir) == len(y.Redir) && slices.EqualFunc(x.Args, y.Args, func(v, w shell.Word) bool { return v.Text == w.Text })
	})
}

// holed reports whether there is something in calls that is not known.
func holed(calls []*shell.Call) bool {
	for _, c := range calls {
		if strings.Contains(c.Path, placeholder) || strings.Contains(c.Dir, placeholder) {
			return true
		}
		for i := range c.Args {
			if !c.Args[i].Known() {
				return true
			}
		}
		for i := range c.Redir {
			if !c.Redir[i].Target.Known() {
				return true
			}
		}
	}
	return false
}

// untrap takes traps back.
func (w *walker) untrap() {
	for i := range w.endings {
		if w.endings[i].sink == nil {
			w.endings[i].text = shell.Word{}
		}
	}
}

// finish walks what a shell runs at its end. It began when there were as many
// endings as mark.
func (w *walker) finish(mark int) {
	if len(w.endings) <= mark {
		return
	}
	// A trap may write to a pipe, and set another trap.
	for i := mark; i < len(w.endings) && w.steps > 0; i++ {
		e := w.endings[i]
		if e.sink != nil || e.text.Text == "" {
			continue
		}
		for j := range e.vars {
			// A function's own variable is gone by now, but it was meant.
			if v := &e.vars[j]; w.st.lookupVariable(v.Name) == nil {
				w.setVariable(*v)
			}
		}
		w.endings[i].text = shell.Word{}
		calls := len(w.calls)
		w.code(e.text, &e.cmd)
		if len(e.before) > 0 && sameCalls(e.before, w.calls[calls:]) {
			w.calls = w.calls[:calls]
		}
	}
	in, pos, out, piped := w.in, w.inPos, w.sink, w.piped
	for i := mark; i < len(w.endings); i++ {
		if e := w.endings[i]; e.sink != nil {
			w.sink, w.piped = e.out, e.piped
			w.drain(&e.tap)
		}
	}
	w.in, w.inPos, w.sink, w.piped = in, pos, out, piped
	w.endings = w.endings[:mark]
}

// drain walks a process with what was written to it.
func (w *walker) drain(t *tap) {
	was := w.saveState()
	w.in, w.inPos = t.sink.flow(nil), 0
	if len(t.sink.from) == 0 && len(t.sink.text) == 0 {
		w.in.Sure = false // who wrote was not followed
	}
	w.forks++
	w.walkStmts(t.stmts)
	w.forks--
	w.st = was
}

// runLater walks the >(…) of a command, which read what it writes.
func (w *walker) runLater(mark int) {
	list := w.later[mark:]
	w.later = w.later[:mark:mark]
	in, pos := w.in, w.inPos
	for i := range list {
		t := &list[i]
		if n := len(w.calls); n > 0 && len(t.sink.from) == 0 {
			// A word names the pipe: tee >(nc h 1).
			if last := w.calls[n-1]; last.Name != ":" {
				t.sink.from = expand.AddCall(expand.AddFrom(nil, inputSources(last)), last)
				t.sink.add(w.prints(last))
			}
		}
		w.drain(t)
	}
	w.in, w.inPos = in, pos
}
