package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// runEditor reads the commands that vi, ex and ed are given: those that run
// programs, delete or write.
func runEditor(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{}, out: o, lang: lua}
	var files []shell.Word
	scripted, saves := false, false
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i].Text
		switch {
		case w == "-c" || w == "--cmd":
			if i++; i < len(c.Args) {
				saves = r.exCommand(c.Args[i].Text) || saves
				scripted = true
			}
		case strings.HasPrefix(w, "-c") && len(w) > 2:
			saves = r.exCommand(w[2:]) || saves
			scripted = true
		case strings.HasPrefix(w, "+") && len(w) > 1 && !isDigit(w[1]):
			saves = r.exCommand(w[1:]) || saves
			scripted = true
		case w == "-S" || w == "-u" || w == "-p" && n == "ed":
			i++
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+"):
		default:
			files = append(files, c.Args[i])
		}
	}
	if n == "ed" || n == "red" || n == "ex" || scripted {
		if text, have, sure := stdinText(c); have && sure {
			scripted = true
			for line := range strings.Lines(text[:min(len(text), maxCode)]) {
				saves = r.exCommand(strings.TrimSpace(line)) || saves
			}
		} else if have {
			return []shell.Effect{pipedCode(c)}, nil, true
		}
	}
	if !scripted {
		return nil, nil, false
	}
	if saves {
		o.files(files, true)
	}
	o.finish(c)
	return o.effects, o.nested, true
}

// exCommand reads one line of editor commands. It reports whether the file is
// saved.
func (r *reader) exCommand(s string) (saves bool) {
	s = strings.TrimLeft(s, ": \t")
	body := strings.TrimLeft(s, "0123456789.$%,+-'<>")
	if cmd, ok := strings.CutPrefix(body, "!"); ok {
		r.exShell(cmd)
		return false
	}
	word := body
	for i := 0; i < len(body); i++ {
		if c := body[i]; !isLetter(c) && !isDigit(c) {
			word = body[:i]
			break
		}
	}
	rest := strings.TrimSpace(body[len(word):])
	switch word {
	case "r", "read", "w", "write", "wq", "x", "wqa", "wa", "up", "update", "saveas", "sav", "wall", "xa", "W":
		if i := strings.IndexByte(rest, '!'); i >= 0 && strings.TrimSpace(rest[:i]) == "" && len(rest) > 1 && (i > 0 || word != "w" || rest[1] != ' ') && body[len(word):] != rest {
			r.exShell(rest[i+1:])
			return false
		}
		f := strings.TrimSpace(strings.TrimPrefix(rest, "!"))
		f, _, _ = strings.Cut(f, "|")
		if f = strings.TrimSpace(f); word[0] == 'r' {
			if f != "" {
				r.reads(known(f))
			}
			return false
		}
		if f == "" || word == "wq" || word == "x" {
			return true
		}
		r.writes("> ", known(strings.TrimLeft(f, "> ")), 0)
	case "terminal", "term", "te", "shell", "sh":
		r.exShell(strings.TrimPrefix(rest, "!"))
	case "python", "py", "python3", "py3", "pyx":
		r.nested(rest, python)
	case "perl":
		r.nested(rest, perl)
	case "ruby":
		r.nested(rest, ruby)
	case "lua":
		r.nested(rest, lua)
	case "call", "echo", "let", "silent", "sil", "exe", "execute", "normal", "put", "if", "autocmd", "au":
		r.exCalls(rest)
	case "e", "edit", "q", "quit", "qa", "qall", "s", "g", "v", "d", "set", "syntax", "n", "a", "i", "c", "p", "H", "P", "":
		if i := strings.IndexByte(rest, '!'); word == "g" && i >= 0 {
			r.unresolved("it runs editor commands that are not known", s)
		}
	}
	if i := strings.LastIndexByte(rest, '|'); i >= 0 && word != "s" && word != "g" && word != "v" {
		return r.exCommand(rest[i+1:]) || saves
	}
	return saves
}

func (r *reader) exShell(cmd string) {
	if cmd = strings.TrimSpace(cmd); cmd != "" {
		r.runs(cmd)
	}
}

// exCalls looks for the functions of vim that run programs or delete.
func (r *reader) exCalls(s string) {
	if cmd, ok := strings.CutPrefix(strings.TrimLeft(s, "!: "), "!"); ok {
		r.exShell(cmd)
		return
	}
	if i := strings.IndexByte(s, '!'); i >= 0 && strings.TrimSpace(s[:i]) == "" {
		r.exShell(s[i+1:])
		return
	}
	toks := lex(s, java)
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].kind == tString && strings.HasPrefix(strings.TrimLeft(toks[i].text, ":"), "!") {
			r.exShell(strings.TrimLeft(toks[i].text, ":!"))
			continue
		}
		if toks[i].kind != tIdent || !toks[i+1].is("(") || toks[i+2].kind != tString {
			continue
		}
		arg := known(toks[i+2].text)
		switch toks[i].text {
		case "system", "systemlist", "termopen", "jobstart", "job_start", "term_start":
			r.exShell(arg.text)
		case "delete":
			cmd := "rm -- "
			if i+4 < len(toks) && strings.Contains(toks[i+4].text, "r") {
				cmd = "rm -rf -- "
			}
			r.runs(cmd + quote(&arg))
		}
	}
	if len(toks) > 1 && toks[0].kind == tString && strings.HasPrefix(toks[0].text, "!") {
		r.exShell(toks[0].text[1:])
	}
}

// runEscapes looks for the lines by which other programs run commands: gdb's
// shell, sqlite's .shell, psql's \!. Their own commands are judged elsewhere.
func runEscapes(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{}, out: o}
	for i := range c.Args {
		w := c.Args[i].Text
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
	for line := range strings.Lines(s[:min(len(s), maxCode)]) {
		if count++; count > 2000 {
			return
		}
		line = strings.TrimSpace(line)
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
			if cmd, ok := strings.CutPrefix(line, "!"); ok {
				r.exShell(cmd)
			}
		}
	}
}

func (r *reader) debugger(line, word, rest string) {
	switch word {
	case "shell", "make":
		r.exShell(rest)
	case "!":
		r.exShell(rest)
	case "python", "py", "pi", "script", "python-interactive":
		r.nested(rest, python)
	case "pipe", "|":
		if i := strings.IndexByte(rest, '|'); i >= 0 {
			r.exShell(rest[i+1:])
		}
	case "platform":
		r.exShell(strings.TrimPrefix(rest, "shell "))
	case "call", "print", "p", "expr", "expression":
		if i := strings.Index(rest, "system("); i >= 0 {
			toks := lex(rest[i:], java)
			if len(toks) > 2 && toks[2].kind == tString {
				r.exShell(toks[2].text)
			}
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
