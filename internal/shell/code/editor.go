package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// An exReader reads the commands of vi, ex and ed.
type exReader struct {
	reader
	buffer  string // the text in the editor
	edited  bool   // what is in the editor is not known
	saves   bool   // the file is saved
	emptied bool   // nothing of what was in the file is left
}

// An exGiven is what an editor is given.
type exGiven struct {
	lines    []string // its commands
	files    []shell.Word
	ex       bool // it reads commands, not keys
	dash     bool // standard input is the text
	scripted bool
}

// runEditor reads the commands that vi, ex and ed are given: those that run
// programs, delete or write.
func runEditor(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	x := exReader{reader: reader{job: &job{args: editorFiles(c), env: c.Env}, out: o, lang: lua}}
	g := exGiven{ex: n == "ed" || n == "red" || n == "ex"}
	if rest := x.words(c, n, &g); rest != nil {
		return nvimLua(c, rest)
	}
	for i := range c.Env { // commands that it runs when it starts
		if v := &c.Env[i]; v.Name == "VIMINIT" || v.Name == "EXINIT" || v.Name == "GVIMINIT" {
			g.lines, g.scripted = append(g.lines, x.whole(v.Value.Text)), true
		}
	}
	text, have, sure := stdinText(c)
	switch {
	case !have || g.dash:
	case sure:
		g.scripted = true
		g.lines = append(g.lines, commandLines(x.whole(text), g.ex)...)
	case g.ex || g.scripted:
		return []shell.Effect{pipedCode(c)}, nil, true
	}
	if !g.scripted {
		return nil, nil, false
	}
	switch {
	case len(g.files) == 1 && written(c, g.files[0].Text) != nil && written(c, g.files[0].Text).Sure:
		x.buffer = written(c, g.files[0].Text).Text
	case g.dash && have && sure:
		x.buffer = text
	default:
		x.edited = len(g.files) > 0 || g.dash
	}
	x.lines(g.lines)
	switch {
	case x.saves && x.emptied:
		for i := range g.files {
			f := known(g.files[i].Text)
			f.glob = g.files[i].Glob
			x.commandOn("truncate -s 0 -- ", f, 0)
		}
	case x.saves:
		o.files(g.files, true, awk)
	}
	return o.finish(c)
}

// commandLines are the commands in what an editor reads. Keys lead to them by a
// colon.
func commandLines(text string, ex bool) []string {
	lines := strings.Split(text, "\n")
	if ex {
		return lines
	}
	out := lines[:0]
	for _, line := range lines {
		if i := strings.IndexByte(line, ':'); i >= 0 {
			out = append(out, strings.TrimRight(line[i:], "\r"))
		}
	}
	return out
}

// words reads the words of the call. The words behind nvim's -l are returned.
func (x *exReader) words(c *shell.Call, n string, g *exGiven) (script []shell.Word) {
	vi := n != "ed"
	for i := 0; i < len(c.Args); i++ {
		w, next := c.Args[i].Text, ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1].Text
		}
		g.ex = g.ex || vi && exFlags(w) && strings.ContainsAny(w, "eE")
		switch {
		case w == "-":
			g.dash = !g.ex
		case exRuns(w, vi):
			if i++; i < len(c.Args) {
				g.give(next)
			}
		case strings.HasPrefix(w, "-c"):
			g.give(w[2:])
		case exSources(w, n) && x.script(written(c, next), w != "-s", g):
			i++
		case w == "-l" && n == "nvim":
			return c.Args[min(i+1, len(c.Args)):]
		case strings.HasPrefix(w, "+") && len(w) > 1 && !isDigit(w[1]):
			g.give(w[1:])
		case vi && facts.InList("-w -W --startuptime", w):
			i++
			x.writes("> ", expandHome(known(next)), 0)
			g.scripted = true
		case facts.InList("-S -u", w) || vi && facts.InList("-T -i -U -t", w) || !vi && w == "-p":
			i++
		case begins(w, "-", "+"):
		default:
			g.files = append(g.files, c.Args[i])
		}
	}
	return nil
}

// give takes commands.
func (g *exGiven) give(lines ...string) { g.lines, g.scripted = append(g.lines, lines...), true }

// script takes the commands of a script that the same command wrote.
func (x *exReader) script(f *shell.File, ex bool, g *exGiven) bool {
	if f == nil {
		return false
	}
	g.give(commandLines(x.whole(f.Text), ex)...)
	if !f.Sure {
		x.unresolved("contains a script that checkrein can only partly read", f.Path)
	}
	return true
}

// exSources reports whether the word behind a flag is a script of commands.
func exSources(w, n string) bool {
	return facts.InList("-S -u --source", w) || w == "-s" && n != "ed" && n != "ex"
}

// exRuns reports whether the word behind a flag is a command, as in ex -sc.
func exRuns(w string, vi bool) bool {
	return w == "-c" || w == "--cmd" || vi && exFlags(w) && strings.IndexByte(w, 'c') == len(w)-1
}

// exFlags reports whether a word is flags of vi and ex that stand together.
func exFlags(w string) bool {
	return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Trim(w, "-esEnNRymbZc") == ""
}

// editorFiles are the files that an editor opens, when one of them holds secrets.
func editorFiles(c *shell.Call) []shell.Word {
	for i := range c.Args {
		if w := c.Args[i].Text; !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") && facts.SecretFile(w) {
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

// lines reads commands, with the texts and the code that some have below them.
func (x *exReader) lines(lines []string) {
	for i := 0; i < len(lines); i++ {
		if !x.spend() {
			return
		}
		line := strings.TrimSpace(lines[i])
		body := exAddress(strings.TrimLeft(line, ": \t"))
		if l, end, ok := exBlock(body); ok {
			from := i + 1
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != end; i++ {
			}
			x.nested(strings.Join(lines[min(from, len(lines)):min(i, len(lines))], "\n"), l)
			continue
		}
		switch body {
		case "a", "i", "c", "a!", "i!", "c!", "append", "insert", "change":
			x.edited = x.edited || body[0] != 'a' && x.buffer != ""
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "."; i++ {
				x.emptied = false // something else is in it then
				x.buffer += lines[i] + "\n"
			}
		default:
			x.command(line)
		}
	}
}

// exBlock reports the language and the end of code that follows a line:
// python3 << EOF.
func exBlock(body string) (l lang, end string, ok bool) {
	word, rest, found := strings.Cut(body, "<<")
	if !found {
		return 0, "", false
	}
	l, ok = exLanguage(strings.TrimSpace(word))
	end = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "trim"))
	if end == "" {
		end = "."
	}
	return l, end, ok
}

// exLanguage is the language that a command of vim runs code in.
func exLanguage(word string) (lang, bool) {
	switch word {
	case "python", "py", "python3", "py3", "pyx", "pythonx":
		return python, true
	case "perl", "pe":
		return perl, true
	case "ruby", "rub":
		return ruby, true
	case "lua":
		return lua, true
	}
	return 0, false
}

// exAddress is a command without the lines that it is for.
func exAddress(s string) string {
	for n := 0; s != "" && n < 64; n++ {
		switch c := s[0]; {
		case c == '\'' && len(s) > 1:
			s = s[2:]
		case strings.IndexByte("0123456789.$%,;+- \t", c) >= 0:
			s = s[1:]
		case c == '/' || c == '?':
			_, end := sedPart(s, 1, c)
			s = s[min(end, len(s)):]
		default:
			return s
		}
	}
	return s
}

// filter hands the text in the editor to a command.
func (x *exReader) filter(cmd string) {
	cmd = strings.TrimSpace(cmd)
	switch {
	case len(x.job.args) > 0: // the file goes into the command
		f := known(x.job.args[0].Text)
		x.runs("cat -- " + quote(&f) + " | " + cmd)
	case x.buffer != "" && !x.edited:
		text := known(x.buffer)
		x.runs("printf '%s' " + quote(&text) + " | " + cmd)
	case readsCode(cmd):
		x.unresolved("passes an unknown string to a shell", cmd)
	default:
		x.exShell(cmd)
	}
}

// readsCode reports whether a command runs what it is fed.
func readsCode(cmd string) bool {
	if i := strings.LastIndexByte(cmd, '|'); i >= 0 {
		cmd = cmd[i+1:]
	}
	words := strings.Fields(cmd)
	for len(words) > 1 {
		operands, ok := facts.Wraps(words[0])
		if !ok && words[0] != "xargs" && !strings.Contains(words[0], "=") {
			break
		}
		words = words[min(1+operands, len(words)-1):]
	}
	if len(words) == 0 {
		return false
	}
	name := trimVersion(words[0][strings.LastIndexByte(words[0], '/')+1:])
	if !isShell(words[0]) && interpreterOf(name) == nil {
		return false
	}
	for _, w := range words[1:] {
		if w[0] != '-' && w[0] != '<' && w[0] != '>' && w[0] != '2' {
			return false
		}
	}
	return true
}
