package resolve

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// duplicateInput adds <&, which makes one stream another: <&5 reads what 5 does.
func (w *walker) duplicateInput(c *command, fd string, word *syntax.Word) {
	target := w.Word(word)
	r := w.lookupRedirect(c, target.Text)
	if r == nil {
		return
	}
	again := *r
	again.Fd = fd
	c.redir = append(c.redir, again)
	if fd == "" || fd == "0" {
		c.in = w.redirectFlow(&again)
	}
}

// lookupRedirect returns the redirection of a descriptor: one of the command itself, or one that exec
// opened before.
func (w *outputs) lookupRedirect(c *command, fd string) *shell.Redirect {
	for i := len(c.redir) - 1; i >= 0; i-- {
		if r := &c.redir[i]; r.Fd == fd || r.Fd == "" && fd == defaultFd(r.Op) {
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

// defaultFd returns the descriptor that an operator redirects if none is given.
func defaultFd(op string) string {
	if op[0] == '<' {
		return "0"
	}
	return "1"
}

// redirectFlow returns what a redirection provides as input, or nil if that is unknown.
func (w *outputs) redirectFlow(r *shell.Redirect) *shell.Flow {
	switch r.Op {
	case "<<", "<<<":
		return &shell.Flow{Text: r.Target.Text, Complete: r.Target.IsKnown(), From: r.Target.From}
	case "<", "<>":
		return w.pathFlow(r.Target.Text)
	}
	return nil
}

// setExecInput sets the input that exec opens for everything that follows.
func (w *outputs) setExecInput(c *command, r *shell.Redirect) {
	if r.Fd != "" && r.Fd != "0" {
		return
	}
	w.in, w.inPos = c.in, 0
	if w.in == nil {
		w.in = fileFlow(r)
	}
}

// fileFlow returns the flow out of a file that the text did not write. Nested programs have no
// redirection of their own that would name it.
func fileFlow(r *shell.Redirect) *shell.Flow {
	if r.Op != "<" && r.Op != "<>" || r.Target.Text == "" || r.Target.Text == "/dev/stdin" || r.Target.Text == "/dev/null" {
		return nil
	}
	return &shell.Flow{From: []*shell.Call{{Name: "cat", Path: "cat", Args: []shell.Word{r.Target}}}}
}

// redirectedInput returns what a redirection of c provides to all commands inside c.
func redirectedInput(c *command) *shell.Flow {
	for i := len(c.redir) - 1; i >= 0; i-- {
		if r := &c.redir[i]; r.Op[0] == '<' && (r.Fd == "" || r.Fd == "0") {
			return fileFlow(r)
		}
	}
	return nil
}

// deviceFlow returns the stream that a path names, such as /dev/fd/3 or /dev/stdin.
func (w *outputs) deviceFlow(c *command, path string) *shell.Flow {
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
	if r := w.lookupRedirect(c, fd); r != nil {
		return w.redirectFlow(r)
	}
	return nil
}

// descriptorNumber returns the number of a redirection's descriptor. {x}< opens a free one and stores
// its number in x.
func (w *walker) descriptorNumber(c *command, text string) string {
	name, ok := strings.CutPrefix(text, "{")
	if !ok {
		return text
	}
	name = strings.TrimSuffix(name, "}")
	fd := strconv.Itoa(10 + len(w.opens) + len(c.redir))
	w.setVariableWord(name, shell.Word{Text: fd})
	return fd
}

// newCommand returns a command without words in the current context.
func (w *outputs) newCommand() command {
	return command{in: w.in, context: w.st.context}
}

// descriptorFile returns the file that exec opened under a descriptor, or nil.
func (w *outputs) descriptorFile(fd string) *shell.Word {
	for i := len(w.opens) - 1; i >= 0; i-- {
		if w.opens[i].Fd == fd {
			return &w.opens[i].Target
		}
	}
	return nil
}

// pathFlow returns what is read from a path if the text determines it: the text wrote the file, or the
// path is a process substitution. Otherwise it returns nil.
func (w *outputs) pathFlow(path string) *shell.Flow {
	if n, ok := strings.CutPrefix(path, "/dev/fd/"); ok && len(w.pipes) > 0 {
		if i := expand.ParseSmall(n); i <= 63 && 63-i < len(w.pipes) {
			return w.pipes[63-i]
		}
	}
	if f := w.fileHere(path); f != nil {
		flow := &shell.Flow{Text: f.text, Complete: f.sure, From: f.from}
		if f.onDisk {
			flow.File = w.newSource(f)
		}
		if flow.Text == placeholder {
			flow.Text = ""
		}
		return flow
	}
	return nil
}

// addBareRedirects adds a call for redirections that have no program.
func (w *outputs) addBareRedirects(c *command) {
	if len(c.redir) == 0 {
		return
	}
	w.addRedirectCall(c, ":")
	if c.out != "" {
		w.recordWrite(c.out, &c.context, content{sure: true}, c.appends)
	}
}

// addGroupRedirects adds a call for redirections that belong to several programs. What these print
// into the file is known once they are done: see [outputs.endStreams].
func (w *outputs) addGroupRedirects(c *command) {
	switch {
	case len(c.redir) == 0:
	case c.out != "":
		w.addRedirectCall(c, "{")
	default:
		w.addRedirectCall(c, ":")
	}
}

// addRedirectCall adds a call named ":" with the redirections of c.
func (w *outputs) addRedirectCall(c *command, path string) {
	call := &shell.Call{Name: ":", Path: path, Redir: c.redir, Dir: c.dir, Dirs: w.altDirNames(&c.context), Elevated: c.elevated, Remote: c.remote, Depth: w.depth - 1 + c.hops, Wrapped: c.wrapped}
	if w.tracksFiles() {
		call.Files = w.namedFiles(call, &c.context)
	}
	w.addCall(call)
}

// endStreams ends what [outputs.beginStreams] began: it records what was printed in the file of c.
func (w *outputs) endStreams(c *command) {
	s := c.groupOutput
	if s == nil {
		return
	}
	c.groupOutput = nil
	in := content{text: string(s.text), sure: !s.incomplete}
	in.from = s.flow(nil).From
	if s.incomplete {
		in.unknownFrom = in.from
	}
	if f := w.recordWrite(c.out, &c.context, in, c.appends); f != nil {
		f.depth = -1
	}
}

// pipeBuffer returns the buffer of the pipe that a path names, or nil.
func (w *outputs) pipeBuffer(path string) *outputBuffer {
	if len(w.readers)+len(w.endings) == 0 {
		return nil
	}
	n, ok := strings.CutPrefix(path, "/dev/fd/")
	if !ok {
		return nil
	}
	fd := expand.ParseSmall(n)
	for i := len(w.readers) - 1; i >= 0; i-- {
		if w.readers[i].fd == fd {
			return w.readers[i].buffer
		}
	}
	for i := len(w.endings) - 1; i >= 0; i-- {
		if e := &w.endings[i]; e.buffer != nil && e.fd == fd {
			return e.buffer
		}
	}
	return nil
}

// newPipe returns a reader for a new pipe that the text can write to. It reports false if there are
// too many.
func (w *outputs) newPipe(stmts []*syntax.Stmt) (pipeReader, bool) {
	if len(w.pipes) >= maxPipes {
		w.reportLimit()
		return pipeReader{}, false
	}
	t := pipeReader{fd: 63 - len(w.pipes), stmts: stmts, buffer: &outputBuffer{}}
	w.pipes = append(w.pipes, nil)
	return t, true
}

// keepReader lets the process that exec redirects to read until the shell ends. If standard output is
// redirected, it becomes the output of later commands.
func (w *outputs) keepReader(r *shell.Redirect) {
	if r.Op[0] == '<' {
		return
	}
	for i := range w.readers {
		t := w.readers[i]
		if expand.ParseSmall(strings.TrimPrefix(r.Target.Text, "/dev/fd/")) != t.fd {
			continue
		}
		w.readers = append(w.readers[:i:i], w.readers[i+1:]...)
		w.endings = append(w.endings, ending{pipeReader: t, out: w.stdout, piped: w.piped})
		break
	}
	if r.Fd != "" && r.Fd != "1" {
		return
	}
	if s := w.pipeBuffer(r.Target.Text); s != nil {
		w.stdout, w.piped = s, true
	}
}

// setExecOutput sets the files that exec opens for everything that follows.
func (w *outputs) setExecOutput(c *command) {
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
			w.recordWrite(r.Target.Text, &c.context, content{sure: true}, strings.HasSuffix(r.Op, ">>"))
			continue
		}
		w.st.out = r.Target.Text
		if isStream(w.st.out) {
			w.st.out = ""
		}
	}
}

// takeInput returns what a command reads: all of its input, or the part that cut splits off.
func (w *outputs) takeInput(c *command, cut func(string) (string, int)) (text string, from []*shell.Call, sure bool) {
	if c.in == nil {
		if flow := redirectedInput(c); flow != nil {
			from = flow.From
		}
		return "", from, false
	}
	text, from, sure = c.in.Text, c.in.From, c.in.Complete
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

// setInputFd makes the descriptor that -u names the input of c.
func (w *outputs) setInputFd(c *command, fd string) {
	r := w.lookupRedirect(c, fd)
	if r == nil {
		return
	}
	if c.in = w.redirectFlow(r); c.in == nil {
		c.in = fileFlow(r)
	}
}

// beginStreams makes the input and output of c those of the commands that are walked next.
func (w *outputs) beginStreams(c *command) {
	if c.in == nil {
		c.in = redirectedInput(c)
	}
	if c.in != w.in {
		w.in, w.inPos = c.in, 0
	}
	if c.redirected {
		w.stdout, w.piped = nil, false
		if s := w.pipeBuffer(c.out); s != nil {
			w.stdout, w.piped = s, true
		} else if c.out != "" {
			c.groupOutput = &outputBuffer{}
			w.stdout = c.groupOutput
		}
	}
}
