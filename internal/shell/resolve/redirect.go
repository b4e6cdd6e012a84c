package resolve

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// A command is a program with its words, redirections and context while wrappers are being removed.
// Finally it becomes a call.
type command struct {
	words         []shell.Word
	redir         []shell.Redirect
	env           []shell.Variable
	in            *shell.Flow
	out           string        // the file that standard output goes to
	appends       bool          // standard output is appended to out
	redirected    bool          // standard output goes to a file or another descriptor
	skipFunctions bool          // its first word is not expanded as a function or an alias
	dataOnly      bool          // placeholders in its words stand for data such as file names, not for code
	hops          int           // wrappers removed so far
	transparent   bool          // the wrapper being removed changes nothing for the nested command
	groupOutput   *outputBuffer // output of a group of commands that goes to out

	guessed bool // an unknown part of it was assumed to be empty
	errexit bool // it is a shell with set -e

	savedVars []expand.Variable // variables hidden by those that wrappers set
	context
}

// redirectsInput reports whether c has an input redirection.
func (c *command) redirectsInput() bool {
	for i := range c.redir {
		if c.redir[i].Op[0] == '<' {
			return true
		}
	}
	return false
}

// walkRedirects expands the redirections in list and adds them to c.
func (w *walker) walkRedirects(c *command, list []*syntax.Redirect) {
	for _, r := range list {
		if !w.spendStep() {
			return
		}
		fd := ""
		if r.N != nil {
			fd = w.descriptorNumber(c, r.N.Value)
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w.redirectHeredoc(c, fd, shell.Redirect{Op: "<<", Fd: fd, Target: w.HeredocText(r)})
		case syntax.WordHdoc:
			word := w.ExpandWord(r.Word)
			word.Text += "\n"
			w.redirectHeredoc(c, fd, shell.Redirect{Op: "<<<", Fd: fd, Target: word})
		case syntax.DplIn:
			w.duplicateInput(c, fd, r.Word)
		case syntax.DplOut:
			if fd == "0" { // 0>&1 is 0<&1
				w.duplicateInput(c, fd, r.Word)
				break
			}
			w.duplicateOutput(c, fd, r.Word)
		case syntax.RdrIn, syntax.RdrInOut:
			w.redirectInput(c, fd, r)
		default:
			w.redirectOutput(c, fd, outputOperator(r.Op), w.ExpandWord(r.Word))
		}
	}
}

// outputOperator returns the text of op, an output operator, without distinctions that have no effect
// here.
func outputOperator(op syntax.RedirOperator) string {
	switch op {
	case syntax.AppOut, syntax.AppClob:
		return ">>"
	case syntax.RdrClob:
		return ">|"
	case syntax.RdrAll, syntax.RdrAllClob:
		return "&>"
	case syntax.AppAll, syntax.AppAllClob:
		return "&>>"
	}
	return ">"
}

// redirectHeredoc adds the here-document or here-string r to c as input.
func (w *walker) redirectHeredoc(c *command, fd string, r shell.Redirect) {
	c.redir = append(c.redir, r)
	if fd == "" || fd == "0" {
		c.in = &shell.Flow{Text: r.Target.Text, Complete: r.Target.IsKnown(), From: r.Target.From}
	}
}

// duplicateOutput adds the redirection fd>&word to c. If word is a number, it only joins two streams,
// unless exec opened a file as that descriptor.
func (w *walker) duplicateOutput(c *command, fd string, word *syntax.Word) {
	target := w.ExpandWord(word)
	if to := w.descriptorFile(target.Text); to != nil {
		w.redirectOutput(c, fd, ">&", *to)
		c.appends = true // the file is already open
		return
	}
	if target.Text == "-" || expand.IsDigits(strings.TrimSuffix(target.Text, "-")) {
		if (fd == "" || fd == "1") && target.Text != "1" {
			c.redirected = true
		}
		return
	}
	w.redirectOutput(c, fd, ">&", target)
}

// redirectInput adds the redirection r, which is < or <>, to c.
func (w *walker) redirectInput(c *command, fd string, r *syntax.Redirect) {
	target := w.ExpandWord(r.Word)
	op := "<"
	if r.Op == syntax.RdrInOut {
		op = "<>"
	}
	c.redir = append(c.redir, shell.Redirect{Op: op, Fd: fd, Target: target})
	if fd != "" && fd != "0" || target.Text == "/dev/stdin" || target.Text == "/dev/fd/0" {
		return
	}
	c.in = w.pathFlow(target.Text)
}

// redirectOutput adds a redirection of fd to the file target to c. op is its operator.
func (w *walker) redirectOutput(c *command, fd, op string, target shell.Word) {
	c.redir = append(c.redir, shell.Redirect{Op: op, Fd: fd, Target: target})
	if fd != "" && fd != "1" {
		return
	}
	switch target.Text {
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		return
	}
	c.redirected, c.out, c.appends = true, target.Text, strings.HasSuffix(op, ">>")
}
