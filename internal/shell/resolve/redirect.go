package resolve

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// A command is a program with its words on the way to becoming a call: wrappers
// are still to be taken off.
type command struct {
	words []shell.Word
	redir []shell.Redirect
	env   []shell.Variable
	in    *shell.Flow
	out   string // the file that standard output goes to
	more  bool   // it is added to that file
	away  bool   // standard output goes to a file
	plain bool   // functions and aliases do not count
	data  bool   // holes in its words are file names and the like, not code
	hops  int    // wrappers that were taken off

	hidden []variable // what the variables of wrappers hide
	context
}

func (w *walker) newCommand() command {
	return command{in: w.in, context: w.st.context}
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
			fd = r.N.Value
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w.feed(c, fd, shell.Redirect{Op: "<<", Fd: fd, Target: w.heredoc(r)})
		case syntax.WordHdoc:
			word := w.one(r.Word)
			word.Text += "\n"
			w.feed(c, fd, shell.Redirect{Op: "<<<", Fd: fd, Target: word})
		case syntax.DplIn:
			w.one(r.Word)
		case syntax.DplOut:
			w.duplicate(c, fd, r.Word)
		case syntax.RdrIn, syntax.RdrInOut:
			w.readFile(c, fd, r)
		default:
			w.writeFile(c, fd, redirOp(r.Op), w.one(r.Word))
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
	target := w.one(word)
	if to := w.descriptor(target.Text); to != nil {
		w.writeFile(c, fd, ">&", *to)
		return
	}
	if target.Text == "-" || isNumber(strings.TrimSuffix(target.Text, "-")) {
		if (fd == "" || fd == "1") && target.Text != "1" {
			c.away = true
		}
		return
	}
	w.writeFile(c, fd, ">&", target)
}

// descriptor is the file that exec opened under a number.
func (w *walker) descriptor(fd string) *shell.Word {
	for i := len(w.opens) - 1; i >= 0; i-- {
		if w.opens[i].Fd == fd {
			return &w.opens[i].Target
		}
	}
	return nil
}

func (w *walker) readFile(c *command, fd string, r *syntax.Redirect) {
	target := w.one(r.Word)
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

// opened is what is read from a file, when the text itself says so: it wrote the
// file, or the file is a process substitution.
func (w *walker) opened(path string) *shell.Flow {
	if n, ok := strings.CutPrefix(path, "/dev/fd/"); ok && len(w.pipes) > 0 {
		if i := number(n); i <= 63 && 63-i < len(w.pipes) {
			return w.pipes[63-i]
		}
	}
	if f := w.file(path); f != nil {
		return &shell.Flow{Text: f.text, Sure: f.sure, From: f.from}
	}
	return nil
}

func (w *walker) file(path string) *file {
	if len(w.files) == 0 || path == "" {
		return nil
	}
	path = strings.TrimPrefix(path, "./")
	for i := len(w.files) - 1; i >= 0; i-- {
		if w.files[i].path == path {
			return &w.files[i]
		}
	}
	return nil
}

// wrote remembers what the text wrote into a file.
func (w *walker) wrote(path, text string, sure, more bool, from []*shell.Call) {
	if path == "" || strings.Contains(path, hole) || strings.HasPrefix(path, "/dev/") {
		return
	}
	f := w.file(path)
	if f == nil {
		if len(w.files) >= maxVars {
			return
		}
		w.files = append(w.files, file{path: strings.TrimPrefix(path, "./"), sure: true})
		f = &w.files[len(w.files)-1]
		if more {
			f.sure, f.text = false, hole+"\n" // what was in it before is not known
		}
	} else if !more {
		f.text, f.sure, f.from = "", true, nil
	}
	if !w.pay(len(f.text) + len(text)) {
		return
	}
	f.text += text
	f.sure = f.sure && sure
	f.from = addFrom(f.from, from)
}

// noProgram makes a call of redirections that have no program of their own.
func (w *walker) noProgram(c *command) {
	if len(c.redir) == 0 {
		return
	}
	call := &shell.Call{Name: ":", Path: ":", Redir: c.redir, Dir: c.dir, Elevated: c.elevated, Remote: c.remote, Depth: w.depth - 1 + c.hops}
	w.add(call)
	if c.out != "" {
		w.wrote(c.out, "", true, c.more, nil)
	}
}

// heredoc is the text of a here-document.
func (w *walker) heredoc(r *syntax.Redirect) shell.Word {
	if r.Hdoc == nil {
		return shell.Word{Quoted: true}
	}
	raw := isQuoted(r.Word)
	f := fields{w: w, whole: true, open: true, quoted: true}
	start := true
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			start = false
			f.part(p, true)
			continue
		}
		text := lit.Value
		if r.Op == syntax.DashHdoc {
			text = stripTabs(text, start)
		}
		if text != "" {
			start = text[len(text)-1] == '\n'
		}
		if raw {
			f.buf = append(f.buf, text...)
		} else {
			f.buf = unescape(f.buf, text, "$`\\\n")
		}
	}
	return shell.Word{Text: string(f.buf), Quoted: true, From: f.from}
}

// stripTabs removes the tabs at the beginning of lines; start says that the text
// begins one.
func stripTabs(text string, start bool) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if start && text[i] == '\t' {
			continue
		}
		start = text[i] == '\n'
		out = append(out, text[i])
	}
	return string(out)
}

// isQuoted reports whether a here-document's delimiter is quoted, so that
// nothing in the document is expanded.
func isQuoted(word *syntax.Word) bool {
	for _, p := range word.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, "\\") {
			return true
		}
	}
	return false
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// number is a small decimal number, or a very large one when s is none.
func number(s string) int {
	if !isNumber(s) || len(s) > 6 {
		return 1 << 30
	}
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}
