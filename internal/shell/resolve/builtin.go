package resolve

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// walkBuiltin walks a builtin of the shell. ok reports whether name is one; done reports whether
// nothing of the command is left to run.
func (w *walker) walkBuiltin(c *command, name string) (done, ok bool) {
	args := c.words[1:]
	switch name {
	case "cd", "chdir":
		w.changeDir(args)
	case "pushd":
		w.pushDir(args)
	case "popd":
		w.popDir()
	case "set":
		return w.walkSet(c)
	case "shift":
		n := 1
		if len(args) > 0 {
			n = expand.ParseSmallNumber(args[0].Text)
		}
		w.st.Args = w.st.Args[min(n, len(w.st.Args)):]
	case "unset":
		for _, a := range args {
			w.WalkSubscripts(a.Text)
		}
		w.walkUnset(args)
	case "read":
		w.walkRead(c, false)
	case "mapfile", "readarray":
		w.walkRead(c, true)
	case "export", "declare", "typeset", "local", "readonly":
		if !w.declareArgs(name, args) {
			w.emitCall(c)
			return true, true
		}
	case "exit":
		w.exitScope(name, false)
	case "return":
		if slices.ContainsFunc(w.frames, func(f frame) bool { return f.body != nil }) {
			w.exitScope(name, true) // outside a function it is an error, after which the shell continues
		}
	case "break", "continue":
		if w.loops > 0 {
			w.exitScope(name, true)
		}
	case ":", "true", "false", "shopt", "umask", "setopt", "unsetopt", "times", "disown":
	case "unalias":
		w.st.alias = nil
	case "alias":
		w.defineAliases(args)
	case "trap":
		w.walkTrap(c)
		return true, true
	case "eval":
		w.walkEval(c)
		return true, true
	case "source", ".":
		return w.walkSource(c), true
	case "exec":
		return w.unwrapExec(c), true
	case "command", "builtin":
		return w.unwrapCommandBuiltin(c), true
	case "coproc", "nocorrect", "noglob", "-":
		c.words = args
		return false, true
	case "printf":
		if !w.walkPrintfAssign(args) {
			return false, false
		}
	default:
		return w.walkRareBuiltin(c, name)
	}
	w.addBareRedirects(c)
	return true, true
}

// walkRareBuiltin walks the less common builtins. Its results are those of walkBuiltin.
func (w *walker) walkRareBuiltin(c *command, name string) (done, ok bool) {
	args := c.words[1:]
	switch name {
	case "let":
		for _, a := range args {
			w.WalkSubscripts(a.Text)
		}
	case "wait", "getopts":
		for _, a := range args {
			w.WalkSubscripts(a.Text)
		}
	case "hash":
		w.walkHash(args)
	case "test", "[":
		for i, a := range args {
			if i > 0 && (args[i-1].Text == "-v" || args[i-1].Text == "-R") {
				w.WalkSubscripts(a.Text)
			}
		}
		return false, false
	case "compgen":
		w.walkComplete(c, true)
		return true, true
	case "complete":
		w.walkComplete(c, false)
		return true, true
	case "ulimit":
		if lowersLimits(args) {
			w.st.changedBy = name
		}
		return false, false
	case "bind":
		w.walkBind(c)
		return true, true
	case "fc":
		w.walkFc(c)
		return true, true
	case "enable":
		if argv.HasWord(args, "-f") {
			w.reportOpaque(displayWords(c.words), "loads a library into the shell")
			w.addGap(displayWords(c.words), "loads a library into the shell")
		}
		return false, false
	default:
		return false, false
	}
	w.addBareRedirects(c)
	return true, true
}

// walkPrintfAssign walks printf -v, which sets a variable. It reports false if args do not begin with
// -v and a name.
func (w *walker) walkPrintfAssign(args []shell.Word) bool {
	if len(args) == 0 || !strings.HasPrefix(args[0].Text, "-v") {
		return false
	}
	name := args[0].Text[2:]
	if args = args[1:]; name == "" {
		if len(args) == 0 {
			return false
		}
		name, args = args[0].Text, args[1:]
	}
	word := shell.Word{}
	sure := true
	if word.Text, sure = expand.PrintfOutput(args); !sure {
		word.Text = placeholder
	}
	for i := range args {
		word.From = expand.AddSources(word.From, args[i].From)
	}
	w.assignNamed(name, word)
	return true
}

// assignNamed sets the variable or array element that name denotes, such as x or x[1], to word.
func (w *walker) assignNamed(name string, word shell.Word) {
	if syntax.ValidName(name) {
		w.setVariableWord(name, word)
		return
	}
	w.WalkSubscripts(name)
	array, key, ok := strings.Cut(name, "[")
	if !ok || !syntax.ValidName(array) {
		return
	}
	v := w.arrayVariable(array)
	key = strings.TrimSuffix(key, "]")
	switch n, err := strconv.Atoi(key); {
	case err == nil && n >= 0 && n <= maxWords:
		setElement(&v, n, word)
	default:
		v.List, v.More = append(v.List, word), true
	}
	w.setVariable(v)
}

// popDir walks popd. With an empty stack it changes to the directory of the place.
func (w *walker) popDir() {
	dir := ""
	if n := len(w.st.dirs); n > 0 {
		dir, w.st.dirs = w.st.dirs[n-1], w.st.dirs[:n-1]
	}
	w.st.old, w.st.dir, w.st.altDirs = w.st.dir, dir, nil
}

// pushDir walks pushd. Without a directory operand it changes to an unknown directory of the stack.
func (w *walker) pushDir(args []shell.Word) {
	w.unshareState()
	if len(w.st.dirs) >= maxVars {
		w.reportLimit()
		w.st.dirs = w.st.dirs[1:]
	}
	w.st.dirs = append(w.st.dirs, w.st.dir)
	if last := len(args) - 1; last < 0 || strings.HasPrefix(args[last].Text, "+") {
		args = []shell.Word{{Text: placeholder}}
	}
	w.changeDir(args)
}

// changeDir walks cd.
func (w *walker) changeDir(args []shell.Word) {
	physical := false
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		physical = physical || args[0].Text == "-P"
		args = args[1:]
	}
	was := w.workingDir()
	target := w.homeDir()
	if v := w.st.lookupVariable("HOME"); v != nil {
		target = v.Word.Text
	}
	if len(args) > 0 {
		target = args[0].Text
	}
	switch {
	case target != "-":
	case w.st.lookupVariable("OLDPWD") != nil:
		target = w.st.lookupVariable("OLDPWD").Word.Text
	default:
		target = w.oldDir()
	}
	w.st.old = was
	if physical && w.realPath != nil && target != "" {
		target = w.physicalPath(&w.st.context, target)
	}
	w.changeLocations(target)
}

// walkSet walks set, which changes options and the shell's arguments. Its results are those of
// walkBuiltin.
func (w *walker) walkSet(c *command) (done, ok bool) {
	args := c.words[1:]
	if len(args) == 0 {
		w.emitCall(c) // prints every variable
		return true, true
	}
	for i, a := range args {
		if a.Text == "--" || a.Text == "-" {
			w.st.Args, w.st.ArgsKnown = args[i+1:], true
			break
		}
		if strings.HasPrefix(a.Text, "-") || strings.HasPrefix(a.Text, "+") {
			if on := a.Text[0] == '-'; strings.Contains(a.Text, "e") || strings.HasSuffix(a.Text, "o") && i+1 < len(args) && args[i+1].Text == "errexit" {
				w.st.errexit = on
			}
		}
		if a.Text == "-o" || a.Text == "+o" {
			w.exportAll = w.exportAll || i+1 < len(args) && args[i+1].Text == "allexport"
			break
		}
		w.exportAll = w.exportAll || strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "a")
		if a.Text == "" || a.Text[0] != '-' && a.Text[0] != '+' {
			w.st.Args, w.st.ArgsKnown = args[i:], true
			break
		}
	}
	w.addBareRedirects(c)
	return true, true
}

// walkUnset walks unset, which removes variables and functions.
func (w *walker) walkUnset(args []shell.Word) {
	w.unshareState()
	funcs := len(args) > 0 && args[0].Text == "-f"
	for _, a := range args {
		if !funcs && syntax.ValidName(a.Text) && (w.st.lookupVariable(a.Text) != nil || w.st.lookupFunction(a.Text) == nil) {
			w.setVariable(expand.Variable{Name: a.Text, Unset: true})
			continue
		}
		for i := range w.st.funcs {
			if w.st.funcs[i].name == a.Text {
				w.st.funcs = append(w.st.funcs[:i], w.st.funcs[i+1:]...)
				break
			}
		}
	}
}

// declareArgs walks export, declare and similar builtins whose operands are expanded words. It reports
// whether they declare variables; otherwise they print them.
func (w *walker) declareArgs(kind string, args []shell.Word) bool {
	d := declaration{export: kind == "export", local: kind == "local" || kind != "export" && kind != "readonly" && len(w.frames) > 0}
	named := false
	for _, a := range args {
		named = d.applyWord(w, a) || named
	}
	return named && !d.prints
}

// defineAliases walks alias name=text. Global aliases of zsh can occur anywhere in a command, so their
// text is walked at once.
func (w *walker) defineAliases(args []shell.Word) {
	w.unshareState()
	global := argv.HasWord(args, "-g") || argv.HasWord(args, "-s")
	for _, a := range args {
		name, text, ok := strings.Cut(a.Text, "=")
		if ok && global {
			w.walkWordAsCode(shell.Word{Text: ": " + text, From: a.From})
			continue
		}
		if ok && name != "" {
			if len(w.st.alias) >= maxVars {
				w.reportLimit()
				return
			}
			w.st.alias = append([]alias{{name, text, a.From}}, w.st.alias...)
		}
	}
}

// walkEval walks the arguments of eval as code of the current shell.
func (w *walker) walkEval(c *command) {
	args := c.words[1:]
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	w.addGroupRedirects(c)
	in, pos, sink, piped := w.in, w.inPos, w.stdout, w.piped
	w.beginStreams(c)
	during := w.stdout
	word := expand.Join(args, " ")
	w.walkCode(word, c)
	w.endStreams(c)
	w.in, w.inPos = in, pos
	if w.stdout == during || c.redirected { // otherwise exec changed it for all later commands
		w.stdout, w.piped = sink, piped
	}
}

// walkSource walks source FILE if the contents of the file are known, and adds a call for it
// otherwise. It always returns true, since nothing of the command is left to run.
func (w *walker) walkSource(c *command) bool {
	args := c.words[1:]
	if len(args) == 0 {
		w.emitCall(c)
		return true
	}
	if f := w.fileAt(args[0].Text, &c.context); f != nil {
		if f.isDir || !w.walkSourcedFile(c, f) {
			w.emitCall(c)
		}
		return true
	}
	flow := w.pathFlow(args[0].Text)
	if flow == nil {
		flow = w.deviceFlow(c, args[0].Text)
	}
	if flow == nil && argv.IsInPrintedSetupRoot(args[0]) {
		w.addBareRedirects(c)
		return true
	}
	if flow == nil {
		if len(w.fetchedDirs) > 0 {
			w.reportFetchedProgram(c, args[0].Text)
		}
		w.reportUnreadable(c, args[0].Text)
		w.emitCall(c)
		return true
	}
	w.addBareRedirects(c)
	w.walkCode(shell.Word{Text: flowText(flow), From: flow.From}, c)
	return true
}

// unwrapExec removes exec from c. Without a program, the redirections of exec apply to all later
// commands. The result is that of [walker.resolveNext].
func (w *walker) unwrapExec(c *command) bool {
	args := c.words[1:]
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		if args[0].Text == "-a" && len(args) > 1 {
			args = args[1:]
		} else if strings.Contains(args[0].Text, "c") {
			c.changedBy = "exec -c"
		}
		args = args[1:]
	}
	if len(args) == 0 && len(w.opens) >= maxVars {
		w.reportLimit()
	} else if len(args) == 0 {
		w.keptPipes = len(w.pipes)
		w.setExecOutput(c)
		for i := range c.redir {
			r := &c.redir[i]
			if r.Fd != "" {
				w.opens = append(w.opens, *r)
			}
			if r.Op[0] == '<' {
				w.setExecInput(c, r)
			}
			w.keepPipeReader(r)
		}
	}
	c.words, c.skipFunctions = args, true
	return false
}

// unwrapCommandBuiltin removes the command or builtin builtin from c. The result is that of
// [walker.resolveNext].
func (w *walker) unwrapCommandBuiltin(c *command) bool {
	args := c.words[1:]
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		if strings.ContainsAny(args[0].Text, "vV") {
			w.emitCall(c) // only prints what would run
			return true
		}
		args = args[1:]
	}
	if len(args) == 0 {
		w.addBareRedirects(c)
		return true
	}
	c.transparent = c.words[0].Text == "command" && len(args) == len(c.words)-1
	c.words, c.skipFunctions = args, true
	return false
}
