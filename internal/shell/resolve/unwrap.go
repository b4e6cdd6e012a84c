package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A wrapping is a parsed call of a wrapper: the nested command, and what the wrapper changes for it.
type wrapping struct {
	row    *program.Row
	by     string       // name of the wrapper
	args   []shell.Word // arguments of the wrapper
	nested []shell.Word // words of the nested command
	texts  []shell.Word // option values that a shell reads as code
	split  *shell.Word  // text that is only split into words (env -S)
	env    []shell.Variable
	host   string // the machine that the nested command runs on
	root   string // the directory that is / for the nested command
	dir    string
	log    string // the file that the wrapper writes its log to
	joined bool   // a shell reads the joined words as code
	script string // language of the script that the words name; "" = they are a program
	// module means that the words name a Python module.
	module  bool
	direct  bool // the words run without a shell or interpreter, whatever the row says
	shell   bool // without a command, the wrapper starts a shell
	alone   bool // the wrapper runs no command
	bare    bool // the wrapper clears the environment, or variables that determine where settings are
	appends bool // the wrapper appends to its log
	plain   bool // none of the wrapper's arguments changes the command
}

// unwrapWrapper replaces c, a call of the wrapper by, with the nested command. The result is that of
// [walker.resolveNext].
func (w wrappers) unwrapWrapper(c *command, by string, wrap *program.Wrapper) bool {
	x := wrapping{row: wrap.Row, by: by, args: c.words[1:], plain: true}
	if wrap.TooLong {
		w.reportLimit()
	}
	for i := range wrap.Parts {
		x.addPart(&wrap.Parts[i])
	}
	x.finishNested()
	switch {
	case x.split != nil:
		return w.walkEnvSplit(c, &x)
	case len(x.texts) == 0 && len(x.nested) == 0:
		return w.finishBare(c, &x)
	}
	w.walkNestedRules(c)
	w.enterNested(c, &x)
	if x.log != "" {
		w.addLogRedirect(c, &x)
	}
	switch {
	case len(x.texts) > 0:
		w.addGroupRedirects(c)
		for _, text := range x.texts {
			inner := *c
			w.walkInShell(text, nil, &inner)
		}
		return true
	case x.joined:
		w.addGroupRedirects(c)
		w.walkInShell(expand.Join(x.nested, " "), nil, c)
		return true
	}
	w.setNestedEnv(c, x.env)
	c.words = x.nested
	return false
}

// addPart adds the part p of the wrapper's arguments to x.
func (x *wrapping) addPart(p *shell.Part) {
	x.plain = x.plain && (p.Role == shell.Plain || p.Role == shell.Argv)
	switch p.Role {
	case shell.Argv:
		x.nested = x.wordsFrom(p)
		if p.Lang == "environment" {
			x.nested = trimEnvironment(x.nested)
		}
	case shell.Script:
		x.nested, x.script = x.args[p.At:], p.Lang
	case shell.Command:
		switch p.Lang {
		case "joined":
			x.nested, x.joined = x.wordsFrom(p), true
		case "words":
			x.split, x.nested = &p.Word, x.args[min(p.At+1, len(x.args)):]
		case "":
			if p.Word.Text != "" {
				x.texts = append(x.texts, p.Word)
			}
		}
	case shell.Assign:
		name, val, _ := strings.Cut(p.Word.Text, "=")
		if p.Lang == "unset" {
			x.bare = x.bare || name == "PATH" || hostfiles.DescribeHijack(name, "/") != ""
			break
		}
		x.env = append(x.env, shell.Variable{Name: name, Value: shell.Word{Text: val, Quoted: p.Word.Quoted, From: p.Word.From}})
	case shell.Host:
		x.host = p.Word.Text
	case shell.Dir:
		if p.Lang == "root" {
			x.root = p.Word.Text
		} else {
			x.dir = p.Word.Text
		}
	case shell.Writes:
		x.log = p.Word.Text
	case shell.Mode:
		x.setCommandForm(p.Lang)
	}
}

// wordsFrom returns the words of the nested command that begins with p, or nil if p is an empty option
// value.
func (x *wrapping) wordsFrom(p *shell.Part) []shell.Word {
	switch {
	case p.Opt == "":
		return x.args[p.At:]
	case p.Word.Text == "":
		return nil
	}
	rest := x.args[min(p.At+1, len(x.args)):]
	if len(rest) > 0 && rest[0].Text == "--" {
		rest = rest[1:]
	}
	return append([]shell.Word{p.Word}, rest...) // --command=x y
}

// setCommandForm applies an option that changes how the nested command runs. form is its name in
// the table of programs.
func (x *wrapping) setCommandForm(form string) {
	switch form {
	case "argv":
		x.direct = true
	case "command":
		x.joined = true
	case "module":
		x.module = true
	case "shell":
		x.shell = true
	case "alone":
		x.alone = true
	case "bare":
		x.bare = true
	case "append":
		x.appends = true
	}
}

// finishNested completes the nested command after all parts were added.
func (x *wrapping) finishNested() {
	if len(x.nested) > 0 && x.nested[0].Text == "--" {
		x.nested = x.nested[1:]
	}
	x.shell = x.shell || x.row.RunsWith("shell")
	x.joined = x.joined && !x.direct
	switch {
	case x.alone:
		x.nested = nil
	case x.script != "" && !x.direct && len(x.nested) > 0:
		words := []shell.Word{{Text: x.script}}
		if x.script == "python" {
			words[0].Text = "python3"
		}
		if x.module {
			words = append(words, shell.Word{Text: "-m"})
		}
		x.nested = append(words, x.nested...)
	}
}

// trimEnvironment returns words, a command such as env:command, without the name of an environment.
func trimEnvironment(words []shell.Word) []shell.Word {
	if _, prog, ok := strings.Cut(words[0].Text, ":"); ok && prog != "" {
		return append([]shell.Word{{Text: prog}}, words[1:]...)
	}
	return words
}

// enterNested changes the context of c to that of the nested command: its directory, machine, user and
// environment.
func (w wrappers) enterNested(c *command, x *wrapping) {
	far := x.row.RunsWith("away")
	c.transparent = x.plain && x.row.RunsWith("clear") && argv.IsSystemProgram(c.words[0].Text)
	switch {
	case x.row.RunsWith("judged") || far && c.in != nil:
		w.addJudgedWrapper(c, far)
	case far:
		w.addBareRedirects(c)
		c.redir = nil
	}
	c.env = append(c.env[:len(c.env):len(c.env)], x.env...)
	elevated := x.row.RunsWith("elevated")
	c.elevated = c.elevated || elevated
	if far || elevated || x.bare || x.row.RunsWith("apart") {
		c.changedBy = x.by
	}
	if x.row.RunsWith("outside") {
		c.remote = "" // the wrapper leaves the container
	}
	if far {
		c.remote, c.dir, c.altDirs = x.host, "", nil
		if c.remote == "" {
			c.remote = x.by
		}
	}
	if x.dir != "" {
		if w.realPath != nil {
			x.dir = w.physicalPath(&c.context, x.dir)
		}
		c.dir, c.altDirs = x.dir, nil
	}
	if x.bare && w.trace != nil {
		w.setNestedEnv(c, []shell.Variable{{Name: "PATH", Value: shell.Word{Text: DefaultPATH}}})
	}
	c.skipFunctions = true
}

// DefaultPATH is the list of directories in which shells search for programs if PATH is unset. Some
// shells search the working directory last.
const DefaultPATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:."

// addJudgedWrapper adds a call of the wrapper itself. The redirections go to the wrapper if its nested
// command runs on another machine (far), and to the nested command otherwise.
func (w wrappers) addJudgedWrapper(c *command, far bool) {
	redir := c.redir
	if far {
		w.addWrapperCall(c)
		c.redir = nil
		return
	}
	c.redir = nil
	w.addWrapperCall(c)
	c.redir = redir
}

// setNestedEnv sets the variables env, which a wrapper sets for its nested command. It saves those
// that they hide in c.
func (w wrappers) setNestedEnv(c *command, env []shell.Variable) {
	for _, v := range env {
		c.savedVars = append(c.savedVars, w.variableCopy(v.Name))
		w.setVariableWord(v.Name, v.Value)
		w.walkSpecialVariable(v.Name)
		w.walkExportedFunction(v.Name, v.Value.Text)
	}
}

// walkEnvSplit walks env -S, which splits its text into words much as a shell would. It always returns
// true, since nothing is left to resolve.
func (w wrappers) walkEnvSplit(c *command, x *wrapping) bool {
	text := *x.split
	if strings.HasPrefix(strings.TrimSpace(text.Text), "-") {
		text.Text = x.by + " " + text.Text // it begins with further options of env
	}
	for _, a := range x.nested {
		text.Text += " " + expand.Quote(a.Text)
		text.From = expand.AddSources(text.From, a.From)
	}
	c.env = append(c.env[:len(c.env):len(c.env)], x.env...)
	w.addGroupRedirects(c)
	w.walkInShell(text, nil, c)
	return true
}

// finishBare handles a wrapper that names no command. If it starts a shell, that shell reads
// commands from standard input. The result is that of [walker.resolveNext].
func (w wrappers) finishBare(c *command, x *wrapping) bool {
	if x.shell && c.in != nil {
		w.enterNested(c, x)
		c.words = []shell.Word{{Text: "sh"}}
		return false
	}
	w.emitCall(c)
	return true
}

// addLogRedirect adds the log file of a wrapper to c as a redirection, since no other call names the
// file. The log of strace may also be a command, which is walked.
func (w wrappers) addLogRedirect(c *command, x *wrapping) {
	if x.by == "strace" && (x.log[0] == '|' || x.log[0] == '!') {
		w.walkShellText(c, shell.Word{Text: x.log[1:]})
		return
	}
	op := ">"
	if x.appends {
		op = ">>"
	}
	c.redir = append(c.redir[:len(c.redir):len(c.redir)], shell.Redirect{Op: op, Fd: "3", Target: shell.Word{Text: x.log}})
	w.recordWrite(x.log, &c.context, content{text: placeholder, keepsOld: true}, x.appends)
}
