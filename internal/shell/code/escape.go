package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// addShellEscape adds the shell command cmd that a program runs, or an effect if cmd is unknown.
func (r *reader) addShellEscape(cmd string) {
	if cmd = strings.TrimSpace(cmd); cmd == "" {
		return
	}
	if strings.Trim(cmd, placeholder+" ") == "" {
		r.addUnresolvedEffect("runs an unknown command", cmd)
		return
	}
	r.addCommand(strings.ReplaceAll(cmd, homeMark, "$HOME"))
}

// shellEscapeEffects returns the effects of script lines with which the program n runs shell commands,
// such as shell in gdb, .shell in sqlite and \! in psql. Package rules judges the other commands of n.
// It reports false if there are no such lines.
func shellEscapeEffects(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{}, out: o}
	for i := range c.Args {
		w := c.Args[i].Text
		if f := knownFile(c, w); n == "gdb" && f != nil && i > 0 && (c.Args[i-1].Text == "-x" || c.Args[i-1].Text == "--command") {
			w = f.Text
		}
		if v, ok := strings.CutPrefix(w, "-ex="); ok {
			w = v
		} else if (strings.HasPrefix(w, "-c") || strings.HasPrefix(w, "-e")) && len(w) > 3 && w[2] != 'x' && n != "gdb" {
			w = w[2:]
		} else if v, ok := strings.CutPrefix(w, "--command="); ok {
			w = v
		} else if v, ok := strings.CutPrefix(w, "--execute="); ok {
			w = v
		}
		r.addShellEscapes(w, n)
	}
	if text, have, sure := stdinText(c); have && sure {
		r.addShellEscapes(text, n)
	}
	known := len(o.nested) > 0 || len(o.effects) > 0
	return o.effects, o.nested, known
}

// shellEscapes lists the words after which a program runs the rest of a line in a shell.
var shellEscapes = [...]struct{ program, word string }{
	{"gdb", "shell "}, {"gdb", "she "}, {"gdb", "shel "}, {"gdb", "!"}, {"gdb", "make "}, {"lldb", "platform shell "}, {"lldb", "shell "}, {"lldb", "!"},
	{"sqlite", ".shell "}, {"sqlite", ".system "}, {"sqlite", ".sh "}, {"sqlite", ".sy "}, {"sqlite", ".syst "}, {"sqlite", ".output |"}, {"sqlite", ".once |"},
	{"psql", `\!`}, {"psql", `\o |`}, {"mysql", `\!`}, {"mysql", "system "}, {"mariadb", `\!`}, {"mariadb", "system "},
	{"ftp", "!"}, {"less", "!"}, {"less", "+!"}, {"more", "!"}, {"more", "+!"},
}

// codeEscapes lists the words after which a program may run code that is not read.
var codeEscapes = [...]struct{ program, words string }{
	{"gdb", "python py pi python-interactive eval with thread frame tfaas faas pipe | call print p"},
	{"lldb", "script expr expression call print p"}, {"sqlite", ".import .backup .log .dump"},
}

// addShellEscapes adds the shell commands and unread code in s, a script of the program n.
func (r *reader) addShellEscapes(s, n string) {
	for line := range strings.Lines(r.truncateScript(s)) {
		line = strings.TrimSpace(line)
		for _, e := range shellEscapes {
			i := strings.Index(line, e.word)
			if e.program == n && i >= 0 && (i == 0 || e.word == `\!`) {
				r.addShellEscape(strings.TrimSuffix(line[i+len(e.word):], ";"))
				break
			}
		}
		word, rest, _ := strings.Cut(line, " ")
		for _, e := range codeEscapes {
			if e.program == n && facts.InList(e.words, word) && (hasAnyPrefix(word, "py", "pi", "script", "eval") || containsAny(rest, "shell", "system", "exec", "python", "!", "|")) {
				r.addUnresolvedEffect("runs unknown commands", line)
			}
		}
		if n == "psql" && copiesThroughProgram(line) {
			r.addUnresolvedEffect("copies data through a command on the database server or client", line)
		}
	}
}

// copiesThroughProgram reports whether line is a PostgreSQL statement that copies data from or to a
// program.
func copiesThroughProgram(line string) bool {
	line = strings.ToLower(line)
	return strings.Contains(line, "copy") && strings.Contains(line, " program ")
}
