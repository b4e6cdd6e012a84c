package resolve

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// duplicateIn walks <&, which makes one stream another: <&5 reads what 5 does.
func (w *walker) duplicateIn(c *command, fd string, word *syntax.Word) {
	target := w.one(word)
	r := w.stream(c, target.Text)
	if r == nil {
		return
	}
	again := *r
	again.Fd = fd
	c.redir = append(c.redir, again)
	if fd == "" || fd == "0" {
		c.in = w.reads(&again)
	}
}

// stream is the redirection under a number: of the command itself, or one that
// exec opened before.
func (w *walker) stream(c *command, fd string) *shell.Redirect {
	for i := len(c.redir) - 1; i >= 0; i-- {
		if r := &c.redir[i]; r.Fd == fd || r.Fd == "" && fd == usualFd(r.Op) {
			return r
		}
	}
	for i := len(w.opens) - 1; i >= 0; i-- {
		if w.opens[i].Fd == fd {
			return &w.opens[i]
		}
	}
	return nil
}

// usualFd is the number that an operator means without one.
func usualFd(op string) string {
	if op[0] == '<' {
		return "0"
	}
	return "1"
}

// reads is what a redirection feeds, as far as the text says it.
func (w *walker) reads(r *shell.Redirect) *shell.Flow {
	switch r.Op {
	case "<<", "<<<":
		return &shell.Flow{Text: r.Target.Text, Sure: r.Target.Known(), From: r.Target.From}
	case "<", "<>":
		return w.opened(r.Target.Text)
	}
	return nil
}

// opensInput takes up the input that exec opens for all that follows.
func (w *walker) opensInput(c *command, r *shell.Redirect) {
	if r.Fd != "" && r.Fd != "0" {
		return
	}
	w.in, w.inPos = c.in, 0
	if w.in == nil {
		w.in = fileFlow(r)
	}
}

// fileFlow is what flows out of a file that the text did not write. Programs
// deeper down have no redirection of their own that would name it.
func fileFlow(r *shell.Redirect) *shell.Flow {
	if r.Op != "<" && r.Op != "<>" || r.Target.Text == "" || r.Target.Text == "/dev/stdin" || r.Target.Text == "/dev/null" {
		return nil
	}
	return &shell.Flow{From: []*shell.Call{{Name: "cat", Path: "cat", Args: []shell.Word{r.Target}}}}
}

// fed is what a redirection feeds to all commands within c.
func fed(c *command) *shell.Flow {
	for i := len(c.redir) - 1; i >= 0; i-- {
		if r := &c.redir[i]; r.Op[0] == '<' && (r.Fd == "" || r.Fd == "0") {
			return fileFlow(r)
		}
	}
	return nil
}

// ownStream is the stream that a path names: /dev/fd/3, /dev/stdin.
func (w *walker) ownStream(c *command, path string) *shell.Flow {
	fd, ok := strings.CutPrefix(path, "/dev/fd/")
	if !ok {
		fd, ok = strings.CutPrefix(path, "/proc/self/fd/")
	}
	if path == "/dev/stdin" || path == "/proc/self/fd/0" || path == "/dev/fd/0" {
		return c.in
	}
	if !ok {
		return nil
	}
	if r := w.stream(c, fd); r != nil {
		return w.reads(r)
	}
	return nil
}

// descriptorName is the number of a redirection. {x}< opens one that is free and
// notes it in x.
func (w *walker) descriptorName(c *command, text string) string {
	name, ok := strings.CutPrefix(text, "{")
	if !ok {
		return text
	}
	name = strings.TrimSuffix(name, "}")
	fd := string(appendInt(nil, int64(10+len(w.opens)+len(c.redir))))
	w.set(name, shell.Word{Text: fd})
	return fd
}
