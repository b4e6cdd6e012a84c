package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/fact"
)

// runEditor reads the commands that vi, ex and ed are given: those that run
// programs, delete or write.
func runEditor(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{args: editorFiles(c)}, out: o, lang: lua}
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
		case n != "ed" && len(w) > 2 && w[0] == '-' && w[1] != '-' && w[len(w)-1] == 'c' && strings.Trim(w, "-esEnNRymbZ") == "c": // ex -sc
			if i++; i < len(c.Args) {
				saves = r.exCommand(c.Args[i].Text) || saves
				scripted = true
			}
		case (w == "-S" || w == "-s" && n != "ed" && n != "ex" || w == "-u" || w == "--source") && i+1 < len(c.Args) && written(c, c.Args[i+1].Text) != nil:
			i++
			f := written(c, c.Args[i].Text)
			saves = r.exLines(f.Text) || saves
			if scripted = true; !f.Sure {
				r.unresolved("the script is not all known", f.Path)
			}
		case w == "-l" && n == "nvim":
			return nvimLua(c, c.Args[i+1:])
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
			saves = r.exLines(text) || saves
		} else if have {
			return []shell.Effect{pipedCode(c)}, nil, true
		}
	}
	if !scripted {
		return nil, nil, false
	}
	if saves {
		o.files(files, true, awk)
	}
	o.finish(c)
	return o.effects, o.nested, true
}

// editorFiles are the files that an editor opens, when one of them holds secrets.
func editorFiles(c *shell.Call) []shell.Word {
	for i := range c.Args {
		if w := c.Args[i].Text; !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") && fact.SecretFile(w) {
			return c.Args[i : i+1]
		}
	}
	return nil
}

// nvimLua reads `nvim -l script`.
func nvimLua(c *shell.Call, args []shell.Word) ([]shell.Effect, []string, bool) {
	if len(args) == 0 {
		return nil, nil, false
	}
	g := given{file: args[0].Text, rest: args[1:], script: true}
	if g.file != "-" {
		return scripted(c, lua, &g)
	}
	text, have, sure := stdinText(c)
	if !have {
		return nil, nil, false
	}
	return readFile(c, lua, &shell.File{Path: "-", Text: text, Sure: sure}, g.rest)
}

// exLines reads the lines of a script.
func (r *reader) exLines(src string) (saves bool) {
	for line := range strings.Lines(r.whole(src)) {
		saves = r.exCommand(strings.TrimSpace(line)) || saves
	}
	return saves
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
			if word[0] == 'w' && len(r.job.args) > 0 { // the file goes into the command
				f := known(r.job.args[0].Text)
				r.runs("cat -- " + quote(&f) + " | " + strings.TrimSpace(rest[i+1:]))
				return false
			}
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
		if rest == "" {
			rest = "sh" // which waits
		}
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
	for i := 0; i+1 < len(toks); i++ {
		t := &toks[i]
		if t.kind == tString && (i == 0 || !toks[i-1].is("(")) {
			r.exString(joinStrings(toks, i))
			continue
		}
		if t.kind != tIdent || !toks[i+1].is("(") {
			continue
		}
		var args [3]value // the strings between the brackets
		n := 0
		for k := i + 2; k < len(toks) && n < len(args) && !toks[k].is(")"); k++ {
			if toks[k].kind == tString && !(toks[k-1].is(".") || toks[k-1].is("..")) {
				args[n] = known(joinStrings(toks, k))
				n++
			}
		}
		if n > 0 {
			r.exFunction(t.text, args[:n], toks[i+2].is("["))
		}
	}
}

// joinStrings is the string at i with those that are joined to it by a dot.
func joinStrings(toks []token, i int) string {
	s := toks[i].text
	for n := 0; n < 64 && i+2 < len(toks) && (toks[i+1].is(".") || toks[i+1].is("..")) && toks[i+2].kind == tString; n++ {
		i += 2
		s += toks[i].text
	}
	return s
}

// exString is a text that execute runs as a command of the editor.
func (r *reader) exString(s string) {
	s = strings.TrimLeft(s, ": ")
	for _, word := range [...]string{"silent!", "silent", "sil!", "sil", "noautocmd"} {
		s = strings.TrimLeft(strings.TrimPrefix(s, word), ": ")
	}
	if cmd, ok := strings.CutPrefix(s, "!"); ok {
		r.exShell(cmd)
	} else if i := strings.Index(s, "call "); i >= 0 && strings.Contains(s, "(") && r.level < maxLevel {
		r.level++
		r.exCalls(s[i+5:])
		r.level--
	}
}

// exFunction is a function of vim that runs programs, or changes files.
func (r *reader) exFunction(fn string, args []value, words bool) {
	switch arg := args[0]; fn {
	case "system", "systemlist", "termopen", "jobstart", "job_start", "term_start":
		if words {
			r.runs(argvText(args))
			return
		}
		r.exShell(arg.text)
	case "delete":
		cmd := "rm -- "
		if len(args) > 1 && strings.Contains(args[1].text, "r") {
			cmd = "rm -rf -- "
		}
		r.runs(cmd + quote(&arg))
	case "writefile":
		r.runs("printf x > " + quote(&args[len(args)-1]))
	case "rename":
		if len(args) > 1 {
			r.runs("mv -- " + quote(&arg) + " " + quote(&args[1]))
		}
	case "libcall", "libcallnr":
		r.unread("it calls into native libraries", fn)
	case "luaeval":
		r.nested(arg.text, lua)
	case "py3eval", "pyxeval", "pyeval":
		r.nested(arg.text, python)
	case "execute":
		r.exString(arg.text)
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
	for line := range strings.Lines(r.whole(s)) {
		if count++; count > 20_000 {
			r.note(shell.Exceeds("", "the script is too long to be read"))
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
			if cmd, ok := strings.CutPrefix(strings.TrimPrefix(line, "+"), "!"); ok {
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
