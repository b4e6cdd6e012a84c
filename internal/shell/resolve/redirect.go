package resolve

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// A command is a program with its words on the way to becoming a call: wrappers
// are still to be taken off.
type command struct {
	words []shell.Word
	redir []shell.Redirect
	env   []shell.Variable
	in    *shell.Flow
	out   string        // the file that standard output goes to
	more  bool          // it is added to that file
	away  bool          // standard output goes to a file
	plain bool          // functions and aliases do not count
	data  bool          // holes in its words are file names and the like, not code
	hops  int           // wrappers that were taken off
	clear bool          // what is taken off now changes nothing of what it runs
	body  *outputBuffer // what the commands print whose output goes to out

	guess   bool // a part of it that is not known was taken for nothing
	errexit bool // a shell that stops when a command fails

	hidden []expand.Variable // what the variables of wrappers hide
	context
}

// hasInput reports whether a redirection feeds the command.
func (c *command) hasInput() bool {
	for i := range c.redir {
		if c.redir[i].Op[0] == '<' {
			return true
		}
	}
	return false
}

func (w *walker) redirects(c *command, list []*syntax.Redirect) {
	for _, r := range list {
		if !w.step() {
			return
		}
		fd := ""
		if r.N != nil {
			fd = w.descriptorName(c, r.N.Value)
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w.feed(c, fd, shell.Redirect{Op: "<<", Fd: fd, Target: w.Heredoc(r)})
		case syntax.WordHdoc:
			word := w.Word(r.Word)
			word.Text += "\n"
			w.feed(c, fd, shell.Redirect{Op: "<<<", Fd: fd, Target: word})
		case syntax.DplIn:
			w.duplicateIn(c, fd, r.Word)
		case syntax.DplOut:
			if fd == "0" { // 0>&1 is 0<&1
				w.duplicateIn(c, fd, r.Word)
				break
			}
			w.duplicate(c, fd, r.Word)
		case syntax.RdrIn, syntax.RdrInOut:
			w.readFile(c, fd, r)
		default:
			w.writeFile(c, fd, redirOp(r.Op), w.Word(r.Word))
		}
	}
}

func redirOp(op syntax.RedirOperator) string {
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

// feed makes a text the standard input.
func (w *walker) feed(c *command, fd string, r shell.Redirect) {
	c.redir = append(c.redir, r)
	if fd == "" || fd == "0" {
		c.in = &shell.Flow{Text: r.Target.Text, Sure: r.Target.Known(), From: r.Target.From}
	}
}

// duplicate walks >&. With a number it only joins two streams.
func (w *walker) duplicate(c *command, fd string, word *syntax.Word) {
	target := w.Word(word)
	if to := w.descriptor(target.Text); to != nil {
		w.writeFile(c, fd, ">&", *to)
		c.more = true // it stays open
		return
	}
	if target.Text == "-" || expand.IsNumber(strings.TrimSuffix(target.Text, "-")) {
		if (fd == "" || fd == "1") && target.Text != "1" {
			c.away = true
		}
		return
	}
	w.writeFile(c, fd, ">&", target)
}

func (w *walker) readFile(c *command, fd string, r *syntax.Redirect) {
	target := w.Word(r.Word)
	op := "<"
	if r.Op == syntax.RdrInOut {
		op = "<>"
	}
	c.redir = append(c.redir, shell.Redirect{Op: op, Fd: fd, Target: target})
	if fd != "" && fd != "0" || target.Text == "/dev/stdin" || target.Text == "/dev/fd/0" {
		return
	}
	c.in = w.opened(target.Text)
}

func (w *walker) writeFile(c *command, fd, op string, target shell.Word) {
	c.redir = append(c.redir, shell.Redirect{Op: op, Fd: fd, Target: target})
	if fd != "" && fd != "1" {
		return
	}
	switch target.Text {
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		return
	}
	c.away, c.out, c.more = true, target.Text, strings.HasSuffix(op, ">>")
}
