package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// shellWords are the words of a shell, sorted.
type shellWords struct {
	text  int  // where the text of -c, or the script, is; all words are options when it is behind them
	code  bool // -c
	stdin bool // -s
	exits bool // -e
	idle  bool // nothing runs: --version, -n
	live  bool // -i
}

func readShellWords(args []shell.Word) shellWords {
	var s shellWords
	i := 0
loop:
	for ; i < len(args); i++ {
		a := args[i].Text
		switch {
		case a == "--" || a == "-":
			i++
			break loop
		case a == "--command" || a == "--init-command":
			s.code = true
		case strings.HasPrefix(a, "--command="):
			s.code = true
			break loop
		case a == "--rcfile" || a == "--init-file":
			i++
		case a == "--version" || a == "--help":
			s.idle = true
		case strings.HasPrefix(a, "--"):
		case len(a) > 1 && (a[0] == '-' || a[0] == '+'):
			s.letters(a)
			if last := a[len(a)-1]; last == 'o' || last == 'O' {
				i++
			}
		default:
			break loop
		}
	}
	s.text = min(i, len(args))
	return s
}

// letters reads options of one letter.
func (s *shellWords) letters(a string) {
	if a[0] != '-' {
		return
	}
	s.code = s.code || strings.Contains(a, "c")
	s.exits = s.exits || strings.Contains(a, "e")
	s.stdin = s.stdin || strings.Contains(a, "s")
	s.live = s.live || strings.Contains(a, "i")
	s.idle = s.idle || a == "-n"
}

// forgets walks what a shell that a person would type in does to its history: it cuts the
// file off when that may hold next to nothing, and adds to one that a variable names.
func (w *walker) forgets(c *command, name string) {
	sizes, file := "HISTFILESIZE HISTSIZE", "~/.bash_history"
	if name == "zsh" {
		sizes, file = "SAVEHIST HISTSIZE", "~/.zsh_history"
	}
	short, named := false, false
	w.variables(c, sizes, func(v shell.Word) { short = short || expand.IsNumber(v.Text) && len(v.Text) < 3 })
	w.variables(c, "HISTFILE", func(v shell.Word) { file, named = v.Text, true })
	switch {
	case file == "" || file == "/dev/null":
	case short:
		w.handed(c, shell.Word{Text: ": > " + expand.Quote(file)})
	case named && !strings.HasSuffix(file, "_history"): // those are there for it
		w.handed(c, shell.Word{Text: ": >> " + expand.Quote(file)})
	}
}

// shell walks what a shell within the text will read.
func (w *walker) shell(c *command, name string) bool {
	args := c.words[1:]
	if name == "fish" && hasWord(args, "-C") {
		w.opaque(show(c.words), "runs a command first that checkrein does not read")
	}
	s := readShellWords(args)
	rest := args[s.text:]
	c.errexit = s.exits
	if s.live {
		w.forgets(c, name)
	}
	if (len(w.st.vars) > 0 || w.mayKnow() || len(w.pipes) > 0) && !s.idle {
		w.startFile(c)
	}
	switch {
	case s.idle:
		w.emit(c)
	case s.code && len(rest) > 0:
		text := rest[0]
		text.Text = strings.TrimPrefix(text.Text, "--command=")
		c.clear = clearShell(c.words[0].Text, args[:s.text])
		w.group(c)
		if len(rest) > 1 {
			zero := w.st.Zero
			w.st.Zero = rest[1].Text
			w.nested(text, rest[2:], c)
			w.st.Zero = zero
			return true
		}
		w.nested(text, nil, c)
	case s.stdin || len(rest) == 0 || rest[0].Text == "/dev/stdin" || rest[0].Text == "/dev/fd/0":
		if c.in == nil {
			w.emit(c)
			return true
		}
		if !s.stdin && len(rest) > 0 {
			rest = rest[1:]
		}
		w.group(c)
		flow := c.in
		c.in = nil
		before := w.said
		if flow.File != nil {
			w.said = origin{at: flow.File, depth: w.depth + 1}
		}
		w.nested(shell.Word{Text: flowText(flow), From: flow.From}, rest, c)
		w.said = before
	default:
		if f := w.fileAt(rest[0].Text, &c.context); f != nil {
			if !f.dir && w.runs(c, f, rest[1:]) {
				return true
			}
			w.emit(c)
			return true
		}
		flow := w.opened(rest[0].Text)
		if flow == nil {
			flow = w.ownStream(c, rest[0].Text)
		}
		if flow == nil {
			if len(w.fetched) > 0 {
				w.strange(c, rest[0].Text)
			}
			w.unreadable(c, rest[0].Text)
			w.emit(c)
			return true
		}
		w.group(c)
		w.nested(shell.Word{Text: flowText(flow), From: flow.From}, rest[1:], c)
	}
	return true
}

// startFile walks the file that a variable or an option makes a shell read first,
// when the text says what is in it.
func (w *walker) startFile(c *command) {
	for i, a := range c.words[:len(c.words)-1] {
		if a.Text != "--rcfile" && a.Text != "--init-file" {
			continue
		}
		if flow := w.opened(c.words[i+1].Text); flow != nil {
			w.nested(shell.Word{Text: flowText(flow), From: flow.From}, nil, c)
		}
	}
	for _, name := range [...]string{"BASH_ENV", "ENV"} {
		if v := w.st.find(name); v != nil {
			w.expandAgain(v.Word.Text)
			if flow := w.opened(v.Word.Text); flow != nil {
				w.nested(shell.Word{Text: flowText(flow), From: flow.From}, nil, c)
			}
		}
	}
	w.ownFiles(c)
}

// ownFiles walks the start-up files of a shell in a directory that the text made its
// home.
func (w *walker) ownFiles(c *command) {
	for _, name := range [...]string{"HOME", "ZDOTDIR"} {
		v := w.st.find(name)
		if v == nil || v.Gone || v.Word.Text == "" {
			continue
		}
		for _, file := range [...]string{".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".config/fish/config.fish"} {
			if f := w.fileAt(strings.TrimRight(v.Word.Text, "/")+"/"+file, &c.context); f != nil && !f.dir {
				inner := *c
				w.runs(&inner, f, nil)
			}
		}
	}
}

// flowText is the text of a flow, with a hole when it is not all known.
func flowText(f *shell.Flow) string {
	if f.Sure || strings.Contains(f.Text, hole) {
		return f.Text
	}
	return f.Text + hole
}

// nested walks a text that a shell of its own reads.
func (w *walker) nested(text shell.Word, args []shell.Word, c *command) {
	was, mark := w.save(), len(w.endings)
	in, pos, sink, piped := w.in, w.inPos, w.sink, w.piped
	lax, loops := w.lax, w.loops
	w.lax, w.loops = 0, 0
	w.around(c)
	w.st.context = c.context
	w.st.wrapped = c.wrapped || !c.clear
	w.st.Args, w.st.Given, w.st.errexit = args, true, c.errexit
	w.code(text, c)
	w.finish(mark)
	w.written(c)
	w.st = was
	w.lax, w.loops = lax, loops
	w.in, w.inPos, w.sink, w.piped = in, pos, sink, piped
}

// code walks a text that is run. What it is made of may not be known.
func (w *walker) code(text shell.Word, c *command) {
	if !text.Known() {
		if w.trace != nil {
			w.trace.Texts = append(w.trace.Texts, Evaluation{By: show(c.words), Text: text})
		}
		only := strings.Trim(text.Text, hole+" \t\n") == ""
		if slices.Contains(text.From, expand.CutOff) {
			w.tooMuch()
		}
		switch {
		case slices.Contains(text.From, expand.Shaped):
			w.opaque(show(c.words), "runs a string that the command builds and checkrein cannot determine")
			if only {
				return
			}
		case download(text.From) != nil:
			w.remoteCode(download(text.From), c.words)
			if only {
				return
			}
		case len(text.From) > 0 && onlySetup(text.From):
			w.drop(text.From)
			if only {
				return
			}
			text.Text = strings.ReplaceAll(text.Text, hole, "")
		case len(text.From) > 0 && (only || !c.data):
			w.report(outputRuns(show(c.words), text.From))
			if only {
				return
			}
		case only:
			w.opaque(show(c.words), "runs an unknown string as a command")
			if w.sink != nil {
				w.emit(c) // who reads its output must know that a shell writes it
			}
			return
		case c.words[0].Text == "eval":
			w.opaque(show(c.words), "makes eval run an unknown string")
		}
	}
	w.textOf(text)
}

// outputRuns is the effect of running what calls print: files that are printed as
// they are were not read, all else is made on the spot.
func outputRuns(words string, from []*shell.Call) shell.Effect {
	if program.Copies(from) {
		return shell.Unreads(words, "runs a file that checkrein did not read")
	}
	return shell.Evaluates(words, "runs the output of "+from[0].Name)
}

// textOf walks a text whose holes are the output of calls.
func (w *walker) textOf(text shell.Word) {
	was := w.Holes
	w.Holes = text.From
	w.text(text.Text)
	w.Holes = was
}

// onlySetup reports whether all calls print well-known set-up code for a shell.
func onlySetup(from []*shell.Call) bool {
	for _, c := range from {
		if !printsSetup(c) {
			return false
		}
	}
	return true
}

// setups are the programs whose output is made to be evaluated, and the subcommands
// that print it: * is any, or the rest of one.
var setups = [...]struct{ names, subs string }{
	{"ssh-agent dircolors lesspipe lesspipe.sh register-python-argcomplete gpg-agent resize tset thefuck fzf keychain", "*"},
	{"brew linuxbrew devbox", "shellenv"},
	{"pyenv rbenv nodenv goenv jenv plenv starship zoxide atuin fasd oh-my-posh phpenv tfenv nodebrew rbenv-init", "init virtualenv-init"},
	{"direnv", "hook export"},
	{"flox vfox proto sheldon", "activate source"},
	{"nix", "print-dev-env"},
	{"pixi", "shell-hook"},
	{"op", "signin"},
	{"mise rtx", "activate env hook-env"},
	{"fnm opam luarocks docker-machine volta asdf", "env path"},
	{"conda mamba micromamba", "shell*"},
	{"minikube", "*-env"},
	{"poetry", "completion completions generate-shell-completion env"},
	{"uv", "completion completions generate-shell-completion"},
	{"cat sed gsed awk gawk grep head tail tr cut jq xxd base64 openssl git find", ""}, // they print what others wrote
}

// printsSetup reports whether a call prints set-up code for a shell.
func printsSetup(c *shell.Call) bool {
	sub := ""
	for _, a := range c.Args {
		if a.Text == "" || a.Text[0] != '-' {
			sub = a.Text
			break
		}
	}
	switch {
	case c.Name == "perl":
		return hasWord(c.Args, "-Mlocal::lib")
	case c.Name == "devbox" && sub == "global":
		return hasWord(c.Args, "shellenv")
	}
	for i := range setups {
		if facts.InList(setups[i].names, c.Name) {
			return slices.ContainsFunc(strings.Fields(setups[i].subs), func(pattern string) bool {
				head, tail, open := strings.Cut(pattern, "*")
				return sub == pattern || open && strings.HasPrefix(sub, head) && strings.HasSuffix(sub, tail)
			})
		}
	}
	// Whoever runs a program has its word for what it does.
	return !facts.Interpreter(c.Name) && (sub == "completion" || sub == "completions" || hasWord(c.Args, "--completion") || hasWord(c.Args, "--completions"))
}
