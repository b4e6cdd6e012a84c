package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// walkHistory walks what an interactive shell does to its history file. The shell truncates the file
// if its size limits are tiny, and appends to a file that HISTFILE names.
func (w *walker) walkHistory(c *command, name string) {
	sizes, file := "HISTFILESIZE HISTSIZE", "~/.bash_history"
	if name == "zsh" {
		sizes, file = "SAVEHIST HISTSIZE", "~/.zsh_history"
	}
	short, named := false, false
	w.eachVariable(c, sizes, func(v shell.Word) { short = short || expand.IsDigits(v.Text) && len(v.Text) < 3 })
	w.eachVariable(c, "HISTFILE", func(v shell.Word) { file, named = v.Text, true })
	switch {
	case file == "" || file == "/dev/null":
	case short:
		w.walkShellText(c, shell.Word{Text: ": > " + expand.Quote(file)})
	case named && !strings.HasSuffix(file, "_history"): // appending to a history file is harmless
		w.walkShellText(c, shell.Word{Text: ": >> " + expand.Quote(file)})
	}
}

// walkShell walks the code that a nested shell reads: from an option, standard input or a file. It
// always returns true, since nothing is left to resolve.
func (w *walker) walkShell(c *command, name string) bool {
	args := c.words[1:]
	if name == "fish" && argv.HasWord(args, "-C") {
		w.reportOpaque(displayWords(c.words), "runs a start-up command that checkrein does not read")
	}
	s := argv.ParseShellArgs(args)
	rest := args[s.Text:]
	c.errexit = s.Exits
	if s.Interactive {
		w.walkHistory(c, name)
	}
	if (len(w.st.vars) > 0 || w.tracksFiles() || len(w.pipes) > 0) && !s.RunsNothing {
		w.walkStartFiles(c)
	}
	switch {
	case s.RunsNothing:
		w.emitCall(c)
	case s.Code && len(rest) > 0:
		text := rest[0]
		text.Text = strings.TrimPrefix(text.Text, "--command=")
		c.transparent = argv.IsPlainShell(c.words[0].Text, args[:s.Text])
		w.addGroupRedirects(c)
		if len(rest) > 1 {
			zero := w.st.Zero
			w.st.Zero = rest[1].Text
			w.walkInShell(text, rest[2:], c)
			w.st.Zero = zero
			return true
		}
		w.walkInShell(text, nil, c)
	case s.Stdin || len(rest) == 0 || rest[0].Text == "/dev/stdin" || rest[0].Text == "/dev/fd/0":
		if c.in == nil {
			w.emitCall(c)
			return true
		}
		if !s.Stdin && len(rest) > 0 {
			rest = rest[1:]
		}
		w.addGroupRedirects(c)
		flow := c.in
		c.in = nil
		before := w.source
		if flow.File != nil {
			w.source = textSource{file: flow.File, depth: w.depth + 1}
		}
		w.walkInShell(shell.Word{Text: flowText(flow), From: flow.From}, rest, c)
		w.source = before
	default:
		if f := w.fileAt(rest[0].Text, &c.context); f != nil {
			if !f.isDir && w.walkFileInShell(c, f, rest[1:]) {
				return true
			}
			w.emitCall(c)
			return true
		}
		flow := w.pathFlow(rest[0].Text)
		if flow == nil {
			flow = w.deviceFlow(c, rest[0].Text)
		}
		if flow == nil {
			if len(w.fetchedDirs) > 0 {
				w.reportFetchedProgram(c, rest[0].Text)
			}
			w.reportUnreadable(c, rest[0].Text)
			w.emitCall(c)
			return true
		}
		w.addGroupRedirects(c)
		w.walkInShell(shell.Word{Text: flowText(flow), From: flow.From}, rest[1:], c)
	}
	return true
}

// walkStartFiles walks the files that a new shell reads first because of variables or options, if
// their contents are known.
func (w *walker) walkStartFiles(c *command) {
	for i, a := range c.words[:len(c.words)-1] {
		if a.Text != "--rcfile" && a.Text != "--init-file" {
			continue
		}
		if flow := w.pathFlow(c.words[i+1].Text); flow != nil {
			w.walkInShell(shell.Word{Text: flowText(flow), From: flow.From}, nil, c)
		}
	}
	for _, name := range [...]string{"BASH_ENV", "ENV"} {
		if v := w.st.lookupVariable(name); v != nil {
			w.walkReexpanded(v.Word.Text)
			if flow := w.pathFlow(v.Word.Text); flow != nil {
				w.walkInShell(shell.Word{Text: flowText(flow), From: flow.From}, nil, c)
			}
		}
	}
	w.walkHomeFiles(c)
}

// walkHomeFiles walks the start-up files in the directories to which the text set HOME or ZDOTDIR.
func (w *walker) walkHomeFiles(c *command) {
	for _, name := range [...]string{"HOME", "ZDOTDIR"} {
		v := w.st.lookupVariable(name)
		if v == nil || v.Unset || v.Word.Text == "" {
			continue
		}
		for _, file := range [...]string{".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".config/fish/config.fish"} {
			if f := w.fileAt(strings.TrimRight(v.Word.Text, "/")+"/"+file, &c.context); f != nil && !f.isDir {
				inner := *c
				w.walkFileInShell(&inner, f, nil)
			}
		}
	}
}

// flowText returns the text of f, with a placeholder at its end if some of it is unknown and it has
// none.
func flowText(f *shell.Flow) string {
	if f.Complete || strings.Contains(f.Text, placeholder) {
		return f.Text
	}
	return f.Text + placeholder
}

// walkInShell walks text as the code of a new shell in the context of c, with args as its arguments.
// Afterwards it restores the state of the current shell.
func (w *walker) walkInShell(text shell.Word, args []shell.Word, c *command) {
	was, mark := w.saveState(), len(w.exitActions)
	in, pos, sink, piped := w.in, w.inPos, w.stdout, w.piped
	lax, loops := w.errexitOff, w.loops
	w.errexitOff, w.loops = 0, 0
	w.beginStreams(c)
	w.st.context = c.context
	w.st.wrapped = c.wrapped || !c.transparent
	w.st.Args, w.st.ArgsKnown, w.st.errexit = args, true, c.errexit
	w.walkCode(text, c)
	w.walkExitActions(mark)
	w.endStreams(c)
	w.st = was
	w.errexitOff, w.loops = lax, loops
	w.in, w.inPos, w.stdout, w.piped = in, pos, sink, piped
}

// walkCode walks text, which c runs in the current shell. If parts of text are unknown, it adds
// problems.
func (w *walker) walkCode(text shell.Word, c *command) {
	if !text.IsKnown() {
		if w.trace != nil {
			w.trace.Texts = append(w.trace.Texts, Evaluation{By: displayWords(c.words), Text: text})
		}
		only := strings.Trim(text.Text, placeholder+" \t\n") == ""
		if slices.Contains(text.From, expand.TruncatedSource) {
			w.reportLimit()
		}
		switch {
		case slices.Contains(text.From, expand.OpaqueSource):
			w.reportOpaque(displayWords(c.words), "runs a string that the command builds and checkrein cannot determine")
			if only {
				return
			}
		case argv.FindDownload(text.From) != nil:
			w.reportRemoteCode(argv.FindDownload(text.From), c.words)
			if only {
				return
			}
		case len(text.From) > 0 && argv.AllPrintShellSetup(text.From):
			w.dropCalls(text.From)
			if only {
				return
			}
			text.Text = strings.ReplaceAll(text.Text, placeholder, "")
		case len(text.From) > 0 && (only || !c.dataOnly):
			w.addProblem(newOutputEffect(displayWords(c.words), text.From))
			if only {
				return
			}
		case only:
			w.reportOpaque(displayWords(c.words), "runs an unknown string as a command")
			if w.stdout != nil {
				w.emitCall(c) // the output then has the shell as its source
			}
			return
		case c.words[0].Text == "eval":
			w.reportOpaque(displayWords(c.words), "makes eval run an unknown string")
		}
	}
	w.walkWordAsCode(text)
}

// newOutputEffect returns the effect of running the output of from as code. The effect is an unread
// file if these calls print a file unchanged, and opaque code otherwise.
func newOutputEffect(words string, from []*shell.Call) shell.Effect {
	if program.OnlyPrintFiles(from) {
		return shell.UnreadEffect(words, "runs a file that checkrein did not read")
	}
	return shell.OpaqueEffect(words, "runs the output of "+from[0].Name)
}

// walkWordAsCode walks text as code. Its placeholders stand for the output of the calls in text.From.
func (w *walker) walkWordAsCode(text shell.Word) {
	was := w.PlaceholderFrom
	w.PlaceholderFrom = text.From
	w.walkText(text.Text)
	w.PlaceholderFrom = was
}
