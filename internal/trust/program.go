package trust

import (
	"path/filepath"
	"strings"
)

// A program is what a command's name says about its arguments.
type program uint8

const (
	plain       program = iota
	interpreter         // runs a script, and what it finds in a directory
	runner              // runs files or text that it is given
	wrapper             // runs a command that its arguments spell
	shell               // runs files, and text
	changer             // changes the directory
	speaker             // prints its arguments
)

// programOf tells a program by its name, without directories.
func programOf(name string) program {
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	if name == "." {
		return runner
	}
	switch strings.TrimRight(name, "0123456789.") { // python3.12, lua5.4
	case "sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "mksh":
		return shell
	case "env", "exec", "nohup", "timeout", "gtimeout", "nice", "ionice", "sudo", "doas", "xargs", "npx", "bunx",
		"uv", "uvx", "command", "builtin", "time", "setsid", "stdbuf":
		return wrapper
	case "python", "pythonw", "pypy", "py", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "pwsh",
		"powershell", "lua", "luajit", "rscript", "tsx", "ts-node", "go", "java", "dotnet", "julia", "osascript",
		"tclsh", "expect", "elixir", "groovy", "swift":
		return interpreter
	case "cmd", "source", "eval", "trap", "su", "watch", "busybox", "make", "gmake", "awk", "gawk", "mawk", "nawk",
		"flock", "parallel":
		return runner
	case "echo", "printf":
		return speaker
	case "cd", "pushd":
		return changer
	}
	return plain
}

// word takes the next word of a command.
func (w *walker) word(x word) {
	c := &w.line.cmd
	switch {
	case c.target != tokEnd:
		w.redirected(x)
	case w.line.pattern:
		if x.text == "esac" && !x.quoted {
			w.line.pattern = false
			w.endCase()
		}
	case c.started:
		w.argument(x)
	default:
		w.name(x)
	}
}

func (w *walker) endCase() {
	w.line.cases = max(w.line.cases-1, 0)
	w.line.cmd.started = true
}

// redirected takes the target of a redirection. What is written to is no
// script.
func (w *walker) redirected(x word) {
	target := w.line.cmd.target
	w.line.cmd.target, w.line.cmd.begun = tokEnd, true
	switch target {
	case tokInput:
		w.mention(x, script{})
	case tokLiteral:
		w.mention(x, script{})
		w.perhapsText(x)
	}
}

// name takes a word where a command's name is expected.
func (w *walker) name(x word) {
	c := &w.line.cmd
	switch {
	case !x.quoted && !c.begun && w.keyword(x.text):
	case isAssignment(x.text):
		c.begun, c.option = true, false
		w.mention(x, script{})
		w.perhapsText(x) // for an eval, or to be split
	case c.wrapper && x.text != "" && (c.cd || x.text[0] == '-' || isDigit(x.text[0])):
		w.argument(x) // of the wrapper itself: an option, where, how long, how nice
		c.option = x.text[0] == '-'
	default:
		w.program(x)
	}
}

// keyword reports whether a word belongs to the shell's own grammar.
func (w *walker) keyword(text string) bool {
	c := &w.line.cmd
	switch text {
	case "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "coproc":
	case "for", "select", "function":
		c.started = true
	case "case":
		c.started, c.in = true, true
		w.line.cases++
	case "esac":
		w.endCase()
	default:
		return false
	}
	return true
}

func isAssignment(s string) bool {
	n := 0
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	return n > 0 && !isDigit(s[0]) && (strings.HasPrefix(s[n:], "=") || strings.HasPrefix(s[n:], "+="))
}

// program takes the name of a command.
func (w *walker) program(x word) {
	c := &w.line.cmd
	c.started = true
	name := x.text[strings.LastIndexAny(x.text, `/\`)+1:]
	known := programOf(name)
	w.calls = append(w.calls, Call{Program: x.text, soft: w.line.soft || x.dynamic})
	c.call = len(w.calls)
	switch {
	case x.dynamic:
		known = runner // whatever it is, it may run what it is given
	case (c.wrapper || w.line.soft) && w.perhapsText(x): // env -S 'a b', system('a b')
		w.mention(x, script{})
	case hasSlash(x.text) && x.at == 0:
		relative := x.lead == leadHere || x.lead == leadNone && !filepath.IsAbs(x.text)
		w.add(w.resolve(x.lead, x.text[x.rest:]), !(relative && w.lost) && !c.option, script{})
	default:
		w.mention(x, script{}) // PATH may lead here
	}
	switch known {
	case wrapper:
		c.begun, c.started, c.wrapper, c.runner = true, false, true, true
	case shell:
		c.shell, c.runner, w.line.shell = true, true, true
	case runner, interpreter:
		c.runner = true
	case changer:
		c.cd = true
	case speaker:
		c.says = true
	}
	if known == shell || known == interpreter {
		w.scripts++
		c.script = w.scripts
	}
	switch name {
	case "make", "gmake", "go", "git", "ninja", "just", "tar":
		c.enters = true
	default:
		c.enters = c.wrapper
	}
	w.line.runner = w.line.runner || c.runner
}

// argument takes an argument of a command.
func (w *walker) argument(x word) {
	c := &w.line.cmd
	if c.call > 0 {
		w.calls[c.call-1].First, c.call = x.text, 0
	}
	option := strings.HasPrefix(x.text, "-")
	switch {
	case c.in && x.text == "in" && !x.quoted:
		c.in, w.line.pattern = false, true
		return
	case c.text && !option:
		c.text, c.script = false, 0
		w.text(x.text, false)
		return
	case c.shell && isTextOption(x.text):
		c.text = true
		return
	case c.cd && !option:
		c.cd = false
		w.mention(x, script{}) // if it was a file after all
		w.chdir(x)
		return
	case option:
		if n := dirOption(x.text, c.enters); n == len(x.text) {
			c.cd = true
			return
		} else if n > 0 {
			w.chdir(x.from(n))
			return
		}
	}
	w.mention(x, c.scriptAt(x, option))
	if c.says {
		w.line.said = append(w.line.said, x)
	} else {
		w.perhapsText(x) // awk, xargs, find and many more take commands; scripts in other languages name files
	}
}

// scriptAt says whether an argument may be the script of an interpreter.
func (c *command) scriptAt(x word, option bool) script {
	switch {
	case c.script == 0:
		return script{}
	case x.text == "-" && !c.shell, c.shell && option && x.text[1:] == "s":
		c.script = 0 // the input is
		return script{}
	case option:
		c.preload, c.last = isPreload(x.text), c.last || isCode(x.text)
		return script{}
	}
	s := script{of: c.script, preload: c.preload, last: c.last}
	c.preload = false
	if c.last || x.dynamic {
		c.script = 0
	}
	return s
}

// isPreload reports whether an interpreter's option names a file to load before
// the script.
func isPreload(s string) bool {
	switch s {
	case "-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "--rcfile", "--init-file":
		return true
	}
	return false
}

// isCode reports whether an interpreter's option, such as -e, -ne or -m, says
// that code or a module follows, and then arguments.
func isCode(s string) bool {
	if strings.HasPrefix(s, "--") {
		return s == "--eval" || s == "--print"
	}
	return len(s) > 1 && strings.IndexByte("cCeEmp", s[len(s)-1]) >= 0
}

// dirOption returns how much of an option says that a directory to change to
// follows, 0 if it does not. Not everywhere is -C such an option.
func dirOption(s string, enters bool) int {
	for _, long := range [...]string{"--chdir", "--directory", "--cwd"} {
		switch rest, ok := strings.CutPrefix(s, long); {
		case ok && rest == "":
			return len(s)
		case ok && rest[0] == '=' && rest != "=":
			return len(long) + 1
		}
	}
	if enters && (strings.HasPrefix(s, "-C") || s == "-D") {
		return 2
	}
	return 0
}

// from is the part of a word that begins at its n-th byte.
func (x word) from(n int) word {
	x.text = x.text[n:]
	x.at, x.rest = max(x.at-n, 0), max(x.rest-n, 0)
	return x
}

// perhapsText walks a quoted word that may be shell text, and reports whether
// it may.
func (w *walker) perhapsText(x word) bool {
	if !x.quoted || !strings.ContainsAny(x.text, " \t\n;|&()<>'\"`") {
		return false
	}
	text := x.text
	if isAssignment(text) {
		text = text[strings.IndexByte(text, '=')+1:]
	}
	w.text(text, true)
	return true
}

// isTextOption reports whether a shell's option, such as -c or -lc, says that
// text follows.
func isTextOption(s string) bool {
	return len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.IndexByte(s, 'c') > 0
}
