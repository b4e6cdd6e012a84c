package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A wrapping is what a program does to the command that it runs.
type wrapping struct {
	row    *program.Row
	by     string       // the program
	args   []shell.Word // its words
	rest   []shell.Word // those that are the command
	texts  []shell.Word // options' values that are texts for a shell
	split  *shell.Word  // the same, but it only becomes words
	env    []shell.Variable
	host   string // the machine that it runs on
	root   string // the directory that is / for it
	dir    string
	log    string // the file that it writes down what it sees in
	joined bool   // the words are one text for a shell
	script string // the language of the script that the words are; with module, of Python, they name a module
	module bool
	direct bool // no shell and no python in between, whatever the row says
	shell  bool // without a command it is a shell
	alone  bool // it runs nothing
	bare   bool // the environment, or what says where settings are, is taken from it
	more   bool // it writes behind what is there
	plain  bool // it is given nothing that changes the command
}

// wrapper takes a wrapper off. What follows its flags is the command.
func (w wrappers) wrapper(c *command, by string, wrap *program.Wrap) bool {
	x := wrapping{row: wrap.Row, by: by, args: c.words[1:], plain: true}
	if wrap.Over {
		w.reportLimit()
	}
	for i := range wrap.Parts {
		x.take(&wrap.Parts[i])
	}
	x.finish()
	switch {
	case x.split != nil:
		return w.splitEnv(c, &x)
	case len(x.texts) == 0 && len(x.rest) == 0:
		return w.withoutCommand(c, &x)
	}
	w.walkOpenings(c)
	w.leave(c, &x)
	if x.log != "" {
		w.logs(c, &x)
	}
	switch {
	case len(x.texts) > 0:
		w.addGroupRedirects(c)
		for _, text := range x.texts {
			inner := *c
			w.nested(text, nil, &inner)
		}
		return true
	case x.joined:
		w.addGroupRedirects(c)
		w.nested(expand.Join(x.rest, " "), nil, c)
		return true
	}
	w.setEnv(c, x.env)
	c.words = x.rest
	return false
}

// take takes up one part of a wrapper's words.
func (x *wrapping) take(p *shell.Part) {
	x.plain = x.plain && (p.Role == shell.Plain || p.Role == shell.Argv)
	switch p.Role {
	case shell.Argv:
		x.rest = x.behind(p)
		if p.Lang == "environment" {
			x.rest = withoutEnvironment(x.rest)
		}
	case shell.Script:
		x.rest, x.script = x.args[p.At:], p.Lang
	case shell.Command:
		switch p.Lang {
		case "joined":
			x.rest, x.joined = x.behind(p), true
		case "words":
			x.split, x.rest = &p.Word, x.args[min(p.At+1, len(x.args)):]
		case "":
			if p.Word.Text != "" {
				x.texts = append(x.texts, p.Word)
			}
		}
	case shell.Assign:
		name, val, _ := strings.Cut(p.Word.Text, "=")
		if p.Lang == "unset" {
			x.bare = x.bare || name == "PATH" || hostfiles.Steer(name, "/") != ""
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
		x.mode(p.Lang)
	}
}

// behind are the words from a part on.
func (x *wrapping) behind(p *shell.Part) []shell.Word {
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

// mode takes up an option that changes what is run.
func (x *wrapping) mode(how string) {
	switch how {
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
		x.more = true
	}
}

// finish makes a command of the words, when all is taken up.
func (x *wrapping) finish() {
	if len(x.rest) > 0 && x.rest[0].Text == "--" {
		x.rest = x.rest[1:]
	}
	x.shell = x.shell || x.row.Does("shell")
	x.joined = x.joined && !x.direct
	switch {
	case x.alone:
		x.rest = nil
	case x.script != "" && !x.direct && len(x.rest) > 0:
		words := []shell.Word{{Text: x.script}}
		if x.script == "python" {
			words[0].Text = "python3"
		}
		if x.module {
			words = append(words, shell.Word{Text: "-m"})
		}
		x.rest = append(words, x.rest...)
	}
}

// withoutEnvironment takes the name of an environment off a command: env:command.
func withoutEnvironment(words []shell.Word) []shell.Word {
	if _, prog, ok := strings.Cut(words[0].Text, ":"); ok && prog != "" {
		return append([]shell.Word{{Text: prog}}, words[1:]...)
	}
	return words
}

// leave goes from a wrapper to what it runs: where, as whom, with what around it.
func (w wrappers) leave(c *command, x *wrapping) {
	far := x.row.Does("away")
	c.transparent = x.plain && x.row.Does("clear") && argv.OfSystem(c.words[0].Text)
	switch {
	case x.row.Does("judged") || far && c.in != nil:
		w.keepWrapper(c, far)
	case far:
		w.addBareRedirects(c)
		c.redir = nil
	}
	c.env = append(c.env[:len(c.env):len(c.env)], x.env...)
	elevated := x.row.Does("elevated")
	c.elevated = c.elevated || elevated
	if far || elevated || x.bare || x.row.Does("apart") {
		c.apart = x.by
	}
	if x.row.Does("outside") {
		c.remote = "" // out of the container
	}
	if far {
		c.remote, c.dir, c.altDirs = x.host, "", nil
		if c.remote == "" {
			c.remote = x.by
		}
	}
	if x.dir != "" {
		if w.realPath != nil {
			x.dir = w.physical(&c.context, x.dir)
		}
		c.dir, c.altDirs = x.dir, nil
	}
	if x.bare && w.trace != nil {
		w.setEnv(c, []shell.Variable{{Name: "PATH", Value: shell.Word{Text: BuiltInPath}}})
	}
	c.skipFunctions = true
}

// BuiltInPath is where shells look for programs when nobody says so: of some, where they
// are comes last.
const BuiltInPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:."

// keepWrapper makes a call of the wrapper. Redirections belong to what runs here:
// to the wrapper when its command runs elsewhere.
func (w wrappers) keepWrapper(c *command, far bool) {
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

// setEnv makes variables known to what a wrapper runs.
func (w wrappers) setEnv(c *command, env []shell.Variable) {
	for _, v := range env {
		c.savedVars = append(c.savedVars, w.currentVariable(v.Name))
		w.setWord(v.Name, v.Value)
		w.walkSpecialVariable(v.Name)
		w.walkExportedFunction(v.Name, v.Value.Text)
	}
}

// splitEnv walks env -S, whose text is split much as a shell would.
func (w wrappers) splitEnv(c *command, x *wrapping) bool {
	text := *x.split
	if strings.HasPrefix(strings.TrimSpace(text.Text), "-") {
		text.Text = x.by + " " + text.Text // its own options stand in it
	}
	for _, a := range x.rest {
		text.Text += " " + expand.Quote(a.Text)
		text.From = expand.AddFrom(text.From, a.From)
	}
	c.env = append(c.env[:len(c.env):len(c.env)], x.env...)
	w.addGroupRedirects(c)
	w.nested(text, nil, c)
	return true
}

// withoutCommand handles a wrapper that names no command. As a shell it reads
// commands from standard input.
func (w wrappers) withoutCommand(c *command, x *wrapping) bool {
	if x.shell && c.in != nil {
		w.leave(c, x)
		c.words = []shell.Word{{Text: "sh"}}
		return false
	}
	w.emitCall(c)
	return true
}

// logs adds the file that a wrapper writes to the redirections of its command, as
// nobody else would see it. strace also takes a command.
func (w wrappers) logs(c *command, x *wrapping) {
	if x.by == "strace" && (x.log[0] == '|' || x.log[0] == '!') {
		w.handed(c, shell.Word{Text: x.log[1:]})
		return
	}
	op := ">"
	if x.more {
		op = ">>"
	}
	c.redir = append(c.redir[:len(c.redir):len(c.redir)], shell.Redirect{Op: op, Fd: "3", Target: shell.Word{Text: x.log}})
	w.recordWrite(x.log, &c.context, content{text: placeholder, keepsOld: true}, x.more)
}
