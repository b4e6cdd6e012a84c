package trust

import (
	"path/filepath"
	"strings"
)

// A program is what a command's name says about its arguments.
type program uint8

const (
	plain   program = iota
	runner          // runs files that it is given
	wrapper         // runs a command that its arguments spell
	shell           // runs files, and text
	changer         // changes the directory
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
		"powershell", "cmd", "lua", "luajit", "rscript", "tsx", "ts-node", "source", "eval", "trap", "su", "watch",
		"busybox", "go", "java", "dotnet", "julia", "osascript", "tclsh", "expect", "elixir", "groovy", "swift":
		return runner
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
		w.line.inputs = append(w.line.inputs, x)
	case tokLiteral:
		if w.line.cmd.runner {
			w.text(x.text, true)
		}
	}
}

// name takes a word where a command's name is expected.
func (w *walker) name(x word) {
	c := &w.line.cmd
	switch {
	case !x.quoted && !c.begun && w.keyword(x.text):
	case isAssignment(x.text):
		c.begun, c.option = true, false
		w.mention(x, c.runner)
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
	known := programOf(x.text[strings.LastIndexAny(x.text, `/\`)+1:])
	switch {
	case x.dynamic:
		known = runner // whatever it is, it may run what it is given
	case (c.wrapper || w.line.soft) && w.perhapsText(x): // env -S 'a b', system('a b')
		w.mention(x, true)
	case hasSlash(x.text) && x.at == 0:
		relative := x.lead == leadHere || x.lead == leadNone && !filepath.IsAbs(x.text)
		w.add(w.resolve(x.lead, x.text[x.rest:]), true, !(relative && w.lost) && !c.option)
	}
	switch known {
	case wrapper:
		c.begun, c.started, c.wrapper, c.runner = true, false, true, true
	case shell:
		c.shell, c.runner, w.line.shell = true, true, true
	case runner:
		c.runner = true
	case changer:
		c.cd = true
	}
	w.line.runner = w.line.runner || c.runner
}

// argument takes an argument of a command.
func (w *walker) argument(x word) {
	c := &w.line.cmd
	option := strings.HasPrefix(x.text, "-")
	switch {
	case c.in && x.text == "in" && !x.quoted:
		c.in, w.line.pattern = false, true
		return
	case c.text && !option:
		c.text = false
		w.text(x.text, false)
		return
	case c.shell && isTextOption(x.text):
		c.text = true
		return
	case c.cd && !option:
		c.cd = false
		w.chdir(x)
		if !c.runner {
			return
		}
	case c.runner && isDirOption(x.text, c.wrapper):
		c.cd = true
		return
	}
	w.mention(x, c.runner)
	if c.runner || w.line.soft {
		w.perhapsText(x) // su, xargs, watch and many more take commands; scripts in other languages name files
	}
}

// isDirOption reports whether an option says that a directory follows.
func isDirOption(s string, wrapper bool) bool {
	switch s {
	case "--chdir", "--directory", "--cwd":
		return true
	case "-C", "-D":
		return wrapper // of interpreters these are something else
	}
	return false
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
