package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// addShellEscape adds a command that a program runs in a shell.
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

// escapeEffects returns the effects of lines by which the program n runs shell commands: gdb's shell,
// sqlite's .shell, psql's \!. Package rules judges its other commands.
func escapeEffects(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
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
		r.readEscapes(w, n)
	}
	if text, have, sure := stdinText(c); have && sure {
		r.readEscapes(text, n)
	}
	known := len(o.nested) > 0 || len(o.effects) > 0
	return o.effects, o.nested, known
}

// shellEscapes are the words by which programs run the rest of a line in a shell.
var shellEscapes = [...]struct{ program, word string }{
	{"gdb", "shell "}, {"gdb", "she "}, {"gdb", "shel "}, {"gdb", "!"}, {"gdb", "make "}, {"lldb", "platform shell "}, {"lldb", "shell "}, {"lldb", "!"},
	{"sqlite", ".shell "}, {"sqlite", ".system "}, {"sqlite", ".sh "}, {"sqlite", ".sy "}, {"sqlite", ".syst "}, {"sqlite", ".output |"}, {"sqlite", ".once |"},
	{"psql", `\!`}, {"psql", `\o |`}, {"mysql", `\!`}, {"mysql", "system "}, {"mariadb", `\!`}, {"mariadb", "system "},
	{"ftp", "!"}, {"less", "!"}, {"less", "+!"}, {"more", "!"}, {"more", "+!"},
}

// codeEscapes are the words after which a program runs code that is not read.
var codeEscapes = [...]struct{ program, words string }{
	{"gdb", "python py pi python-interactive eval with thread frame tfaas faas pipe | call print p"},
	{"lldb", "script expr expression call print p"}, {"sqlite", ".import .backup .log .dump"},
}

// readEscapes adds the shell commands in a script of the program n.
func (r *reader) readEscapes(s, n string) {
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
			r.addUnresolvedEffect("runs a command of the database server or client", line)
		}
	}
}

// copiesThroughProgram reports whether a PostgreSQL statement copies from or to a program.
func copiesThroughProgram(line string) bool {
	line = strings.ToLower(line)
	return strings.Contains(line, "copy") && strings.Contains(line, " program ")
}
