package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

func (r *reader) exShell(cmd string) {
	if cmd = strings.TrimSpace(cmd); cmd == "" {
		return
	}
	if strings.Trim(cmd, holeText+" ") == "" {
		r.unresolved("runs an unknown command", cmd)
		return
	}
	r.runs(strings.ReplaceAll(cmd, homeMark, "$HOME"))
}

// runEscapes looks for the lines by which other programs run commands: gdb's
// shell, sqlite's .shell, psql's \!. Their own commands are judged elsewhere.
func runEscapes(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{}, out: o}
	for i := range c.Args {
		w := c.Args[i].Text
		if f := written(c, w); n == "gdb" && f != nil && i > 0 && (c.Args[i-1].Text == "-x" || c.Args[i-1].Text == "--command") {
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
		r.escapes(w, n)
	}
	if text, have, sure := stdinText(c); have && sure {
		r.escapes(text, n)
	}
	known := len(o.nested) > 0 || len(o.effects) > 0
	return o.effects, o.nested, known
}

// escapes reads the lines of a script for a program of that name.
func (r *reader) escapes(s, n string) {
	count := 0
	code, within := "", false
	for line := range strings.Lines(r.whole(s)) {
		if count++; count > 20_000 {
			r.note(shell.Exceeds("", "contains a script too long to be checked"))
			return
		}
		whole := line
		line = strings.TrimSpace(line)
		switch {
		case within && line == "end":
			r.nested(code, python)
			code, within = "", false
			continue
		case within:
			code += whole
			continue
		case n == "gdb" && (line == "python" || line == "py"):
			within = true
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		switch n {
		case "gdb", "lldb":
			r.debugger(line, word, rest)
		case "sqlite":
			switch word {
			case ".shell", ".system", ".sh", ".sy", ".syst":
				r.exShell(rest)
			case ".output", ".once", ".backup", ".log", ".dump":
				if cmd, ok := strings.CutPrefix(strings.TrimSpace(rest), "|"); ok {
					r.exShell(cmd)
				}
			case ".import":
				if i := strings.IndexByte(rest, '|'); i >= 0 {
					r.exShell(strings.Trim(rest[i+1:], `"'`))
				}
			}
		case "psql", "mysql", "mariadb":
			r.client(line, n)
		case "ftp", "less", "more":
			if cmd, ok := strings.CutPrefix(strings.TrimPrefix(line, "+"), "!"); ok {
				r.exShell(cmd)
			}
		}
	}
	if within {
		r.nested(code, python)
	}
}

// debugger reads a command of gdb or lldb.
func (r *reader) debugger(line, word, rest string) {
	switch word {
	case "shell", "she", "shel", "!":
		r.exShell(rest)
	case "make":
		r.exShell("make " + rest)
	case "platform":
		r.exShell(strings.TrimPrefix(rest, "shell "))
	case "python", "py", "pi", "script", "python-interactive":
		r.nested(rest, python)
	case "eval", "with", "thread", "frame", "tfaas", "faas", "pipe", "|", "call", "print", "p", "expr", "expression":
		if word == "eval" || hasAny(rest, "shell", "system", "exec", "python", "!", "|") {
			r.unresolved("runs unknown commands", line)
		}
	default:
		if cmd, ok := strings.CutPrefix(line, "!"); ok {
			r.exShell(cmd)
		}
	}
}

// client looks for the commands that psql and mysql run themselves.
func (r *reader) client(line, n string) {
	if i := strings.Index(line, `\!`); i >= 0 {
		r.exShell(line[i+2:])
	}
	if rest, ok := strings.CutPrefix(line, "system "); ok && n != "psql" {
		r.exShell(strings.TrimSuffix(rest, ";"))
	}
	if n != "psql" {
		return
	}
	if rest, ok := strings.CutPrefix(line, `\o |`); ok {
		r.exShell(rest)
	}
	const program = " program "
	i := 0
	for i+len(program) <= len(line) && !strings.EqualFold(line[i:i+len(program)], program) {
		i++
	}
	if i+len(program) <= len(line) && strings.Contains(strings.ToLower(line[:i]), "copy") {
		cmd := strings.TrimSpace(line[i+len(program):])
		if len(cmd) > 1 && (cmd[0] == '\'' || cmd[0] == '"') {
			if j := strings.LastIndexByte(cmd, cmd[0]); j > 0 {
				r.exShell(cmd[1:j])
			}
		}
	}
}
