package resolve

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// duplicateIn walks <&, which makes one stream another: <&5 reads what 5 does.
func (w *walker) duplicateIn(c *command, fd string, word *syntax.Word) {
	target := w.Word(word)
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
func (w *outputs) stream(c *command, fd string) *shell.Redirect {
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
func (w *outputs) reads(r *shell.Redirect) *shell.Flow {
	switch r.Op {
	case "<<", "<<<":
		return &shell.Flow{Text: r.Target.Text, Sure: r.Target.Known(), From: r.Target.From}
	case "<", "<>":
		return w.opened(r.Target.Text)
	}
	return nil
}

// opensInput takes up the input that exec opens for all that follows.
func (w *outputs) opensInput(c *command, r *shell.Redirect) {
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
func (w *outputs) ownStream(c *command, path string) *shell.Flow {
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
	fd := strconv.Itoa(10 + len(w.opens) + len(c.redir))
	w.setWord(name, shell.Word{Text: fd})
	return fd
}

func (w *outputs) newCommand() command {
	return command{in: w.in, context: w.st.context}
}

// descriptor is the file that exec opened under a number.
func (w *outputs) descriptor(fd string) *shell.Word {
	for i := len(w.opens) - 1; i >= 0; i-- {
		if w.opens[i].Fd == fd {
			return &w.opens[i].Target
		}
	}
	return nil
}

// opened is what is read from a file, when the text itself says so: it wrote the
// file, or the file is a process substitution.
func (w *outputs) opened(path string) *shell.Flow {
	if n, ok := strings.CutPrefix(path, "/dev/fd/"); ok && len(w.pipes) > 0 {
		if i := expand.SmallNumber(n); i <= 63 && 63-i < len(w.pipes) {
			return w.pipes[63-i]
		}
	}
	if f := w.file(path); f != nil {
		flow := &shell.Flow{Text: f.text, Sure: f.sure, From: f.from}
		if f.disk {
			flow.File = w.sourceOf(f)
		}
		if flow.Text == placeholder {
			flow.Text = ""
		}
		return flow
	}
	return nil
}

// noProgram makes a call of redirections that have no program of their own.
func (w *outputs) noProgram(c *command) {
	if len(c.redir) == 0 {
		return
	}
	w.addRedirects(c, ":")
	if c.out != "" {
		w.write(c.out, &c.context, content{sure: true}, c.more)
	}
}

// group makes a call of redirections that belong to several programs. They print
// what goes to the file, so that it is known when they are done: see [walker.written].
func (w *outputs) group(c *command) {
	switch {
	case len(c.redir) == 0:
	case c.out != "":
		w.addRedirects(c, "{")
	default:
		w.addRedirects(c, ":")
	}
}

func (w *outputs) addRedirects(c *command, path string) {
	call := &shell.Call{Name: ":", Path: path, Redir: c.redir, Dir: c.dir, Dirs: w.altDirNames(&c.context), Elevated: c.elevated, Remote: c.remote, Depth: w.depth - 1 + c.hops, Wrapped: c.wrapped}
	if w.mayKnow() {
		call.Files = w.named(call, &c.context)
	}
	w.add(call)
}

// written ends what [walker.around] began: what was printed is in the file.
func (w *outputs) written(c *command) {
	s := c.body
	if s == nil {
		return
	}
	c.body = nil
	in := content{text: string(s.text), sure: !s.incomplete}
	in.from = s.flow(nil).From
	if s.incomplete {
		in.parts = in.from
	}
	if f := w.write(c.out, &c.context, in, c.more); f != nil {
		f.depth = -1
	}
}

// tapped is the pipe that a path names, or nil.
func (w *outputs) tapped(path string) *outputBuffer {
	if len(w.later)+len(w.endings) == 0 {
		return nil
	}
	n, ok := strings.CutPrefix(path, "/dev/fd/")
	if !ok {
		return nil
	}
	fd := expand.SmallNumber(n)
	for i := len(w.later) - 1; i >= 0; i-- {
		if w.later[i].fd == fd {
			return w.later[i].sink
		}
	}
	for i := len(w.endings) - 1; i >= 0; i-- {
		if e := &w.endings[i]; e.sink != nil && e.fd == fd {
			return e.sink
		}
	}
	return nil
}

// pipe is a pipe that the text can write to. It reports false when there are too
// many.
func (w *outputs) pipe(stmts []*syntax.Stmt) (tap, bool) {
	if len(w.pipes) >= maxPipes {
		w.tooMuch()
		return tap{}, false
	}
	t := tap{fd: 63 - len(w.pipes), stmts: stmts, sink: &outputBuffer{}}
	w.pipes = append(w.pipes, nil)
	return t, true
}

// keepOpen makes the process that a redirection of exec leads to one that reads
// until the shell ends. What is printed goes there when it is standard output.
func (w *outputs) keepOpen(r *shell.Redirect) {
	if r.Op[0] == '<' {
		return
	}
	for i := range w.later {
		t := w.later[i]
		if expand.SmallNumber(strings.TrimPrefix(r.Target.Text, "/dev/fd/")) != t.fd {
			continue
		}
		w.later = append(w.later[:i:i], w.later[i+1:]...)
		w.endings = append(w.endings, ending{tap: t, out: w.sink, piped: w.piped})
		break
	}
	if r.Fd != "" && r.Fd != "1" {
		return
	}
	if s := w.tapped(r.Target.Text); s != nil {
		w.sink, w.piped = s, true
	}
}

// opensOutput takes up the files that exec opens for all that follows.
func (w *outputs) opensOutput(c *command) {
	for i := range c.redir {
		r := &c.redir[i]
		switch r.Op {
		case ">", ">|", "&>", ">>", "&>>":
		default:
			if r.Fd == "" || r.Fd == "1" {
				w.st.out = ""
			}
			continue
		}
		if r.Fd != "" && r.Fd != "1" {
			w.write(r.Target.Text, &c.context, content{sure: true}, strings.HasSuffix(r.Op, ">>"))
			continue
		}
		w.st.out = r.Target.Text
		if nowhere(w.st.out) {
			w.st.out = ""
		}
	}
}

// input is what a command reads: all of it, or as much as cut takes off.
func (w *outputs) input(c *command, cut func(string) (string, int)) (text string, from []*shell.Call, sure bool) {
	if c.in == nil {
		if flow := fed(c); flow != nil {
			from = flow.From
		}
		return "", from, false
	}
	text, from, sure = c.in.Text, c.in.From, c.in.Sure
	if !sure {
		return "", from, false
	}
	shared := c.in == w.in
	if shared {
		text = text[min(w.inPos, len(text)):]
	}
	if cut == nil {
		return text, from, true
	}
	one, used := cut(text)
	if shared {
		w.inPos += used
	}
	return one, from, true
}

// readsFrom makes the stream that -u names the input.
func (w *outputs) readsFrom(c *command, fd string) {
	r := w.stream(c, fd)
	if r == nil {
		return
	}
	if c.in = w.reads(r); c.in == nil {
		c.in = fileFlow(r)
	}
}

// around makes the flows of c those of what is walked next.
func (w *outputs) around(c *command) {
	if c.in == nil {
		c.in = fed(c)
	}
	if c.in != w.in {
		w.in, w.inPos = c.in, 0
	}
	if c.away {
		w.sink, w.piped = nil, false
		if s := w.tapped(c.out); s != nil {
			w.sink, w.piped = s, true
		} else if c.out != "" {
			c.body = &outputBuffer{}
			w.sink = c.body
		}
	}
}
