package resolve

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// An exitAction is something that runs when a shell ends: a trap, or a process that reads what the
// other commands wrote to a pipe.
type exitAction struct {
	text shell.Word // code of a trap
	cmd  command
	vars []expand.Variable // variables when the trap was set

	earlierCalls []*shell.Call // calls of the trap, walked when it was set

	pipeReader
	out   *outputBuffer // where the output of the process goes
	piped bool
}

// A pipeReader is a process that reads what is written to a pipe: that of >(…), or a coprocess.
type pipeReader struct {
	fd     int // descriptor of the pipe in /dev/fd
	stmts  []*syntax.Stmt
	buffer *outputBuffer
}

// maxPipes bounds the pipes, so that their numbers have two digits and are far from those that
// commands use.
const maxPipes = 40

// walkCoproc walks coproc NAME command. NAME[1] becomes the descriptor of a pipe to the command.
func (w *walker) walkCoproc(c *syntax.CoprocClause) {
	name := "COPROC"
	if c.Name != nil {
		name = w.ExpandWord(c.Name).Text
	}
	if call, is := c.Stmt.Cmd.(*syntax.CallExpr); is && len(call.Args) > 0 && len(call.Assigns) > 0 {
		w.reportOpaque("coproc", "starts a command that checkrein cannot tell apart from variable assignments")
	}
	t, ok := w.newPipeReader([]*syntax.Stmt{c.Stmt})
	if !ok || len(w.exitActions) >= maxVars {
		w.reportLimit()
		was := w.saveState()
		w.walkStmt(c.Stmt)
		w.st = was
		return
	}
	w.keptPipes = len(w.pipes)
	fd := strconv.Itoa(t.fd)
	if syntax.ValidName(name) {
		w.setVariable(expand.Variable{Name: name, Array: true, List: []shell.Word{{Text: placeholder}, {Text: fd}}})
	}
	w.opens = append(w.opens, shell.Redirect{Op: ">", Fd: fd, Target: shell.Word{Text: "/dev/fd/" + fd}})
	w.exitActions = append(w.exitActions, exitAction{pipeReader: t, out: w.stdout, piped: w.piped})
}

// walkTrap walks trap, whose command runs when the shell ends or gets a signal. The command sees the
// variables of that time, so it is walked at the end. As the shell may end at any time, it is also
// walked now, unless parts of it are still unknown.
func (w *walker) walkTrap(c *command) {
	w.addBareRedirects(c)
	args := c.words[1:]
	for len(args) > 0 && (args[0].Text == "--" || args[0].Text == "-p" || args[0].Text == "-l") {
		args = args[1:]
	}
	if len(args) < 2 {
		return
	}
	if args[0].Text == "-" || args[0].Text == "" {
		if w.conds == 0 {
			w.clearTraps()
		}
		return
	}
	e := exitAction{text: args[0], cmd: *c, vars: w.saveState().vars}
	if len(w.exitActions) >= maxVars {
		w.reportLimit()
		return
	}
	if isFunctionName(args[0].Text) && w.st.lookupFunction(args[0].Text) == nil {
		w.exitActions = append(w.exitActions, e) // the function is defined later
		return
	}
	calls, problems, was := len(w.calls), len(w.problems), w.saveState()
	w.walkCode(args[0], c)
	w.st = was
	if w.overLimit {
		return
	}
	if len(w.problems) > problems || hasPlaceholders(w.calls[calls:]) {
		w.calls, w.problems = w.calls[:calls], w.problems[:problems]
	} else if args[1].Text == "RETURN" {
		return
	}
	e.earlierCalls = slices.Clone(w.calls[calls:])
	w.exitActions = append(w.exitActions, e)
}

// isFunctionName reports whether text is a single word that may name a function.
func isFunctionName(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// sameCalls reports whether a and b have the same programs, arguments and directories, and equally
// many redirections.
func sameCalls(a, b []*shell.Call) bool {
	return slices.EqualFunc(a, b, func(x, y *shell.Call) bool {
		return x.Path == y.Path && x.Dir == y.Dir && len(x.Redir) == len(y.Redir) && slices.EqualFunc(x.Args, y.Args, func(v, w shell.Word) bool { return v.Text == w.Text })
	})
}

// hasPlaceholders reports whether any word or directory of calls is unknown.
func hasPlaceholders(calls []*shell.Call) bool {
	for _, c := range calls {
		if strings.Contains(c.Path, placeholder) || strings.Contains(c.Dir, placeholder) {
			return true
		}
		for i := range c.Args {
			if !c.Args[i].IsKnown() {
				return true
			}
		}
		for i := range c.Redir {
			if !c.Redir[i].Target.IsKnown() {
				return true
			}
		}
	}
	return false
}

// clearTraps removes all traps. Pipe readers stay.
func (w *walker) clearTraps() {
	for i := range w.exitActions {
		if w.exitActions[i].buffer == nil {
			w.exitActions[i].text = shell.Word{}
		}
	}
}

// walkExitActions walks and removes what runs when a shell ends. mark is the number of exit actions
// when that shell began.
func (w *walker) walkExitActions(mark int) {
	if len(w.exitActions) <= mark {
		return
	}
	// A trap may write to a pipe, and set another trap.
	for i := mark; i < len(w.exitActions) && w.steps > 0; i++ {
		e := w.exitActions[i]
		if e.buffer != nil || e.text.Text == "" {
			continue
		}
		for j := range e.vars {
			// A local variable that the trap uses no longer exists at this point.
			if v := &e.vars[j]; w.st.lookupVariable(v.Name) == nil {
				w.setVariable(*v)
			}
		}
		w.exitActions[i].text = shell.Word{}
		calls := len(w.calls)
		w.walkCode(e.text, &e.cmd)
		if len(e.earlierCalls) > 0 && sameCalls(e.earlierCalls, w.calls[calls:]) {
			w.calls = w.calls[:calls]
		}
	}
	in, pos, out, piped := w.in, w.inPos, w.stdout, w.piped
	for i := mark; i < len(w.exitActions); i++ {
		if e := w.exitActions[i]; e.buffer != nil {
			w.stdout, w.piped = e.out, e.piped
			w.walkPipeReader(&e.pipeReader)
		}
	}
	w.in, w.inPos, w.stdout, w.piped = in, pos, out, piped
	w.exitActions = w.exitActions[:mark]
}

// walkPipeReader walks the process t with the text written to its pipe as input.
func (w *walker) walkPipeReader(t *pipeReader) {
	was := w.saveState()
	w.in, w.inPos = t.buffer.toFlow(nil), 0
	if len(t.buffer.from) == 0 && len(t.buffer.text) == 0 {
		w.in.Complete = false // the writer was not followed
	}
	w.forks++
	w.walkStmts(t.stmts)
	w.forks--
	w.st = was
}

// walkPipeReaders walks the >(…) of a command, which read what the command writes. mark is the number
// of readers when the command began.
func (w *walker) walkPipeReaders(mark int) {
	list := w.readers[mark:]
	w.readers = w.readers[:mark:mark]
	in, pos := w.in, w.inPos
	for i := range list {
		t := &list[i]
		if n := len(w.calls); n > 0 && len(t.buffer.from) == 0 {
			// An argument names the pipe: tee >(nc h 1).
			if last := w.calls[n-1]; last.Name != ":" {
				t.buffer.from = expand.AddSource(expand.AddSources(nil, inputSources(last)), last)
				t.buffer.appendText(w.printedText(last))
			}
		}
		w.walkPipeReader(t)
	}
	w.in, w.inPos = in, pos
}
