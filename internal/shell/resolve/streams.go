package resolve

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// duplicateInput adds the redirection fd<&word to c: fd then reads the same stream as the descriptor
// word.
func (w *walker) duplicateInput(c *command, fd string, word *syntax.Word) {
	target := w.ExpandWord(word)
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

// lookupRedirect returns the redirection of the descriptor fd: that of c itself, or else one that exec
// opened before. It returns nil if there is none.
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

// defaultFd returns the descriptor that the operator op redirects by default.
func defaultFd(op string) string {
	if op[0] == '<' {
		return "0"
	}
	return "1"
}

// redirectFlow returns the input that the redirection r provides, or nil if it is unknown.
func (w *outputs) redirectFlow(r *shell.Redirect) *shell.Flow {
	switch r.Op {
	case "<<", "<<<":
		return &shell.Flow{Text: r.Target.Text, Complete: r.Target.IsKnown(), From: r.Target.From}
	case "<", "<>":
		return w.pathFlow(r.Target.Text)
	}
	return nil
}

// setExecInput makes the input redirection r of exec the input of all later commands.
func (w *outputs) setExecInput(c *command, r *shell.Redirect) {
	if r.Fd != "" && r.Fd != "0" {
		return
	}
	w.in, w.inPos = c.in, 0
	if w.in == nil {
		w.in = fileFlow(r)
	}
}

// fileFlow returns a flow of unknown text whose source is the file that r reads, or nil if r reads
// none. Nested programs need it because they have no redirection that names the file.
func fileFlow(r *shell.Redirect) *shell.Flow {
	if r.Op != "<" && r.Op != "<>" || r.Target.Text == "" || r.Target.Text == "/dev/stdin" || r.Target.Text == "/dev/null" {
		return nil
	}
	return &shell.Flow{From: []*shell.Call{{Name: "cat", Path: "cat", Args: []shell.Word{r.Target}}}}
}

// redirectedInput returns the flow of the file that is the standard input of c and of all commands
// inside it, or nil if there is none.
func redirectedInput(c *command) *shell.Flow {
	for i := len(c.redir) - 1; i >= 0; i-- {
		if r := &c.redir[i]; r.Op[0] == '<' && (r.Fd == "" || r.Fd == "0") {
			return fileFlow(r)
		}
	}
	return nil
}

// deviceFlow returns the input that c gets from a path such as /dev/fd/3 or /dev/stdin, or nil if it
// is unknown.
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

// descriptorNumber returns the number of the descriptor that text, the prefix of a redirection, names.
// For {x} it chooses a free descriptor and sets the variable x to its number.
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

// descriptorFile returns the file that exec opened as the descriptor fd, or nil if there is none.
func (w *outputs) descriptorFile(fd string) *shell.Word {
	for i := len(w.opens) - 1; i >= 0; i-- {
		if w.opens[i].Fd == fd {
			return &w.opens[i].Target
		}
	}
	return nil
}

// pathFlow returns what a command reads from path if that is known, because path is a process
// substitution or a recorded file. Otherwise it returns nil.
func (w *outputs) pathFlow(path string) *shell.Flow {
	if n, ok := strings.CutPrefix(path, "/dev/fd/"); ok && len(w.pipes) > 0 {
		if i := expand.ParseSmallNumber(n); i <= 63 && 63-i < len(w.pipes) {
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

// addBareRedirects adds a call for the redirections of c, which has no program of its own.
func (w *outputs) addBareRedirects(c *command) {
	if len(c.redir) == 0 {
		return
	}
	w.addRedirectCall(c, ":")
	if c.out != "" {
		w.recordWrite(c.out, &c.context, content{sure: true}, c.appends)
	}
}

// addGroupRedirects adds a call for redirections that apply to several programs. [outputs.endStreams]
// records what these programs write to the file.
func (w *outputs) addGroupRedirects(c *command) {
	switch {
	case len(c.redir) == 0:
	case c.out != "":
		w.addRedirectCall(c, "{")
	default:
		w.addRedirectCall(c, ":")
	}
}

// addRedirectCall adds a call named ":" with the redirections of c. path is the Path of the call.
func (w *outputs) addRedirectCall(c *command, path string) {
	call := &shell.Call{Name: ":", Path: path, Redir: c.redir, Dir: c.dir, Dirs: w.alternativeDirs(&c.context), Elevated: c.elevated, Remote: c.remote, Moved: w.moves, Depth: w.depth - 1 + c.hops, Wrapped: c.wrapped}
	if w.tracksFiles() {
		call.Files = w.namedFiles(call, &c.context)
	}
	w.addCall(call)
}

// endStreams records in the output file of c what was printed since [outputs.beginStreams].
func (w *outputs) endStreams(c *command) {
	s := c.groupOutput
	if s == nil {
		return
	}
	c.groupOutput = nil
	in := content{text: string(s.text), sure: !s.incomplete}
	in.from = s.toFlow(nil).From
	if s.incomplete {
		in.unknownFrom = in.from
	}
	if f := w.recordWrite(c.out, &c.context, in, c.appends); f != nil {
		f.depth = -1
	}
}

// pipeBuffer returns the buffer of the pipe at path, such as /dev/fd/63, or nil if there is none.
func (w *outputs) pipeBuffer(path string) *outputBuffer {
	if len(w.readers)+len(w.exitActions) == 0 {
		return nil
	}
	n, ok := strings.CutPrefix(path, "/dev/fd/")
	if !ok {
		return nil
	}
	fd := expand.ParseSmallNumber(n)
	for i := len(w.readers) - 1; i >= 0; i-- {
		if w.readers[i].fd == fd {
			return w.readers[i].buffer
		}
	}
	for i := len(w.exitActions) - 1; i >= 0; i-- {
		if e := &w.exitActions[i]; e.buffer != nil && e.fd == fd {
			return e.buffer
		}
	}
	return nil
}

// newPipeReader returns a reader that runs stmts on a new pipe. It reports false if there are too many
// pipes.
func (w *outputs) newPipeReader(stmts []*syntax.Stmt) (pipeReader, bool) {
	if len(w.pipes) >= maxPipes {
		w.reportLimit()
		return pipeReader{}, false
	}
	t := pipeReader{fd: 63 - len(w.pipes), stmts: stmts, buffer: &outputBuffer{}}
	w.pipes = append(w.pipes, nil)
	return t, true
}

// keepPipeReader keeps the >(…) that r, a redirection of exec, writes to until the shell ends. If r
// redirects standard output, later commands write to the same pipe.
func (w *outputs) keepPipeReader(r *shell.Redirect) {
	if r.Op[0] == '<' {
		return
	}
	for i := range w.readers {
		t := w.readers[i]
		if expand.ParseSmallNumber(strings.TrimPrefix(r.Target.Text, "/dev/fd/")) != t.fd {
			continue
		}
		w.readers = append(w.readers[:i:i], w.readers[i+1:]...)
		w.exitActions = append(w.exitActions, exitAction{pipeReader: t, out: w.stdout, piped: w.piped})
		break
	}
	if r.Fd != "" && r.Fd != "1" {
		return
	}
	if s := w.pipeBuffer(r.Target.Text); s != nil {
		w.stdout, w.piped = s, true
	}
}

// setExecOutput records the files that exec opens for the output of all later commands.
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

// takeInput returns what c reads: the first part of its input that cut splits off, or all of it if cut
// is nil. from are the sources of the input; sure is false if the input is unknown.
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

// setInputFd makes the descriptor fd, the value of read -u, the input of c.
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
// [outputs.endStreams] must follow.
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
