package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// runAwk reads an awk program: system(), commands in pipes, files in
// redirections.
func runAwk(c *shell.Call) ([]shell.Effect, []string, bool) {
	o := &result{}
	a := awkReader{reader: reader{job: &job{env: c.Env, input: inputOf(c)}, out: o, lang: awk}}
	src, files, inplace, ok := a.split(c)
	if !ok {
		return nil, nil, false
	}
	if len(src) > maxCode {
		src = src[:maxCode]
		o.add(shell.Exceeds("", "contains code too long to be checked"))
	}
	o.steps = stepsBase + stepsEach*len(src)
	for i := range files {
		if facts.SecretFile(files[i].Text) {
			a.secret = files[i].Text
		}
	}
	a.stdin = len(files) == 0 || len(files) == 1 && files[0].Text == "-"
	a.separated = a.separated || strings.Contains(src, "FS")
	a.src, a.toks = src, lex(src, awk)
	a.walk()
	o.files(files, inplace, awk)
	if o.socket {
		a.note(shell.Effect{Label: shell.Exfiltration, Kind: "connect", Category: shell.RemoteShell, Radius: shell.RadiusHigh, Words: c.Name,
			Reason: "connects to another machine"})
	}
	if len(o.effects) == 0 {
		o.effects = append(o.effects, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.TextRead, Words: c.Name, Reason: "reads and prints text"})
	}
	return o.effects, o.nested, true
}

// pipes reports whether the token joins a command and what it is fed, or prints.
func (t *token) pipes() bool { return t.is("|") || t.is("|&") }

type awkReader struct {
	reader
	secret  string // a file with secrets that it reads
	printed int    // where what is printed begins
	stdin   bool   // it reads what it is fed

	separated bool // fields are not words
}

// split finds the program and the files among the words.
func (a *awkReader) split(c *shell.Call) (src string, files []shell.Word, inplace, ok bool) {
	args := c.Args
	for i := 0; i < len(args); i++ {
		w, next := args[i].Text, ""
		if i+1 < len(args) {
			next = args[i+1].Text
		}
		switch {
		case !ok && facts.InList("--version -V --help -h", w):
			return "", nil, false, true
		case w == "--":
			if i++; i < len(args) && !ok {
				src, ok = next, true
				i++
			}
			return src, args[min(i, len(args)):], inplace, ok
		case facts.InList("-v --assign", w):
			a.assign(next)
			i++
		case strings.HasPrefix(w, "-v"):
			a.assign(w[2:])
		case facts.InList("-F --field-separator", w):
			a.separated = true
			i++
		case facts.InList("-i --include", w):
			inplace = inplace || next == "inplace"
			i++
		case facts.InList("-iinplace --include=inplace", w):
			inplace = true
		case facts.InList("-e --source", w):
			if i++; i < len(args) {
				src, ok = src+"\n"+next, true
			}
		case strings.HasPrefix(w, "-f") || facts.InList("--file -E --exec", w):
			name := strings.TrimPrefix(w, "-f")
			if name == "" || name == w {
				i++
				name = next
			}
			script, have := a.script(c, name)
			if !have {
				return "", nil, false, false
			}
			src, ok = src+"\n"+script, true
		case strings.HasPrefix(w, "-") && len(w) > 1:
			a.separated = true
		case ok:
			return src, args[i:], inplace, true
		default:
			src, ok = w, true
		}
	}
	return src, nil, inplace, ok
}

// script is the text of a script that the same command wrote.
func (a *awkReader) script(c *shell.Call, name string) (string, bool) {
	text, have, sure := scriptText(c, name)
	if have && !sure {
		a.unresolved("contains a script that checkrein can only partly read", name)
	}
	return text, have
}

func (a *awkReader) assign(s string) {
	if n, v, ok := strings.Cut(s, "="); ok {
		a.bind(n, known(v))
	}
}

// walk goes through the tokens.
func (a *awkReader) walk() {
	printing, level := false, 0
	for a.i = 0; a.peek().kind != tEnd && a.spend(); {
		t := a.peek()
		if t.nl && level == 0 {
			printing = false
		}
		from := a.i
		a.i++
		switch {
		case t.word("print") || t.word("printf"):
			printing, level = true, 0
			a.printed = a.i
		case t.word("system") && a.accept("("):
			a.shellText(a.concat(), from)
		case t.is("("):
			level++
		case t.is(")"):
			level--
		case t.kind == tOp && facts.InList("; { }", t.text):
			printing, level = false, 0
		case a.assigned(t):
		case t.word("function") || t.word("func"):
			a.function()
		case t.pipes():
			a.pipe(t, from)
		case printing && level <= 0 && (t.is(">") || t.is(">>")):
			a.redirect(t.text)
		case t.word("getline"):
			a.getline()
		case t.kind == tHole:
			a.unresolved("contains code that checkrein can only partly read", a.snippet(max(from-3, 0)))
		case t.is("@") && a.peek().kind == tIdent:
			a.unresolved("calls a function whose name is unknown", a.snippet(from))
		}
	}
}

// assigned reads x = … and x["y"] = ….
func (a *awkReader) assigned(t *token) bool {
	to := t.text
	switch {
	case t.kind != tIdent:
		return false
	case a.peek().is("="):
		a.i++
	case a.peek().is("[") && a.ahead(2).is("]") && a.ahead(3).is("="):
		to += "[" + a.ahead(1).text
		a.i += 4
	default:
		return false
	}
	a.bind(to, a.concat())
	return true
}

// getline reads getline < "file" and getline x < "file".
func (a *awkReader) getline() {
	if a.peek().kind == tIdent && a.ahead(1).is("<") {
		a.i++
	}
	if !a.accept("<") {
		return
	}
	f := a.concat()
	a.inet(f)
	a.reads(f)
	if facts.SecretFile(f.str()) {
		a.secret = f.str()
	}
}

// concat reads texts that stand next to each other.
func (a *awkReader) concat() value {
	out := known("")
	for n := 0; a.spend(); {
		t := a.peek()
		if t.kind == tEnd || t.nl && n > 0 {
			break
		}
		if t.kind != tOp {
			a.i++
			n++
			out = join(out, a.word(t))
			continue
		}
		switch t.text {
		case ")", ";", "}", "{", "|", "|&", ">", ">>", ",", "<", "?", ":":
			return out
		case "$":
			v := a.line()
			whole := a.ahead(1).text == "0"
			a.i = min(a.i+2, len(a.toks)-1)
			if !whole {
				v = a.field(a.toks[a.i-1].text)
			}
			out = join(out, v)
			n++
		case "(":
			a.i++
			out = join(out, a.concat())
			a.accept(")")
			n++
		default:
			a.i++
			out = join(out, value{})
		}
	}
	return out
}

// word is the value of a text, a variable or a call.
func (a *awkReader) word(t *token) (v value) {
	switch indexed := a.peek().is("[") && a.ahead(2).is("]"); {
	case t.kind == tString || t.kind == tNumber:
		return known(t.text)
	case t.kind != tIdent:
	case a.accept("("):
		if t.text == "sprintf" {
			v = a.format()
		}
		a.close()
	case indexed && t.text == "ENVIRON" && a.ahead(1).kind == tString:
		v = a.variable(a.ahead(1).text)
		a.i += 3
	case indexed:
		v = a.vars[t.text+"["+a.ahead(1).text]
		a.i += 3
	case t.text == "FS" || t.text == "OFS":
		return known(" ")
	default:
		return a.vars[t.text]
	}
	return v
}

// function gives the first parameter of a function what the first call of it
// passes.
func (a *awkReader) function() {
	fn := a.peek().text
	if a.peek().kind != tIdent || !a.ahead(1).is("(") || a.ahead(2).kind != tIdent {
		return
	}
	param := a.ahead(2).text
	a.i += 2
	if a.out.defs++; a.out.defs > 16 {
		return
	}
	for k := a.i; k+1 < len(a.toks); k++ {
		if a.toks[k].word(fn) && a.toks[k+1].is("(") {
			at := a.i
			a.i = k + 2
			v := a.concat()
			a.i = at
			a.bind(param, v)
			return
		}
	}
}

// close goes behind the bracket that closes the open one.
func (a *awkReader) close() {
	for level := 1; a.peek().kind != tEnd && a.spend(); {
		t := a.peek()
		a.i++
		if t.is("(") {
			level++
		} else if t.is(")") {
			if level--; level == 0 {
				return
			}
		}
	}
}

// pipe reads print | "cmd" and "cmd" | getline.
func (a *awkReader) pipe(t *token, from int) {
	if a.peek().word("getline") {
		back := from
		for back > 0 && back > from-12 && (a.toks[back-1].kind == tString || a.toks[back-1].kind == tIdent && !facts.InList("while if print return", a.toks[back-1].text)) {
			back--
		}
		at := a.i
		a.i = back
		cmd := a.concat()
		a.i = max(at, a.i)
		a.inet(cmd)
		if !strings.HasPrefix(cmd.str(), "/inet") {
			a.shellText(cmd, from)
		}
		if a.peek().word("getline") {
			a.i++
		}
		if t := a.peek(); t.kind == tIdent && !t.nl {
			a.bind(t.text, listed(cmd))
		}
		return
	}
	cmd := a.concat()
	a.inet(cmd)
	if strings.HasPrefix(cmd.str(), "/inet") {
		return
	}
	if a.printed > 0 && a.printed <= from { // print "rm x" | "sh"
		switch what := a.prints(); {
		case what.isKnown() && cmd.isKnown() && !isShell(cmd.text):
			a.runs("printf '%s\\n' " + quote(&what) + " | " + cmd.text)
			return
		case !isShell(cmd.str()):
		case what.blank():
			a.unresolved("pipes unknown commands to a shell", a.snippet(a.printed))
		default:
			a.runs(what.str())
			return
		}
	}
	if a.secret != "" && cmd.form == text { // what it prints comes from there
		f := known(a.secret)
		a.runs("cat -- " + quote(&f) + " | " + cmd.text)
		return
	}
	a.shellText(cmd, from)
}

// listed is a line of what a command prints that lists files, as a pattern: find prints
// paths, ls names.
func listed(cmd value) value {
	out := value{form: text, glob: true, taint: fromCommand}
	words := strings.Fields(cmd.str())
	if !cmd.isKnown() || len(words) == 0 || strings.ContainsAny(cmd.text, "|;&<>$`'\"") {
		return value{taint: fromCommand}
	}
	dir := ""
	for _, w := range words[1:] {
		if w[0] == '-' || w[0] == '(' || w[0] == '!' {
			if words[0] == "find" {
				break
			}
			continue
		}
		dir = w
		break
	}
	switch {
	case words[0] == "find" || words[0] == "fd":
		if dir == "" {
			dir = "."
		}
		top := expandHome(known(dir))
		out.text = strings.TrimRight(top.text, "/") + "/*"
	case words[0] == "ls" && strings.ContainsAny(dir, "*?"):
		top := expandHome(known(dir))
		out.text = top.text
	case words[0] == "ls":
		out.text = "*"
	default:
		return value{taint: fromCommand}
	}
	return out
}

// prints is what the print statement before a pipe prints.
func (a *awkReader) prints() value {
	at := a.i
	defer func() { a.i = at }()
	a.i = a.printed
	formatted := a.toks[a.printed-1].word("printf")
	if a.peek().is("(") && a.listed() {
		a.i++
	}
	switch t := a.peek(); {
	case formatted:
		return a.format()
	case t.pipes():
		return a.line()
	}
	out := a.concat()
	for n := 0; n < 32 && a.accept(","); n++ {
		out = join(join(out, known(" ")), a.concat())
	}
	return out
}

// listed reports whether the bracket here holds all that is printed.
func (a *awkReader) listed() bool {
	for n, level := 0, 0; n < 256; n++ {
		switch t := a.ahead(n); {
		case t.kind == tEnd:
			return false
		case t.is("("):
			level++
		case t.is(")"):
			if level--; level == 0 {
				return a.ahead(n + 1).pipes()
			}
		}
	}
	return false
}

// field is a field of the line that is read, when there is only one.
func (a *awkReader) field(number string) value {
	line := a.line()
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || !line.isKnown() || a.separated || strings.Contains(line.text, "\n") {
		return value{taint: fromFile}
	}
	fields := strings.Fields(line.text)
	if n > len(fields) {
		return known("")
	}
	return known(fields[n-1])
}

// line is the line that is read: $0.
func (a *awkReader) line() value {
	if in := a.job.input; in.form == text && a.stdin {
		return known(strings.TrimRight(in.text, "\n"))
	}
	return value{taint: fromFile}
}

// format reads the arguments of sprintf.
func (a *awkReader) format() value {
	f := a.concat()
	args := value{form: list}
	for n := 0; n < 32 && a.accept(","); n++ {
		args.items = append(args.items, a.concat())
	}
	if i := strings.Index(f.text, "%c"); i >= 0 {
		for k := range args.items { // a number is a character
			if n, err := strconv.Atoi(args.items[k].text); err == nil && n > 0 {
				args.items[k] = known(string(rune(n)))
			}
		}
	}
	if f.form != text {
		return f
	}
	return percentFormat(f, args)
}

// inet notes that gawk opens a connection.
func (a *awkReader) inet(v value) {
	if strings.HasPrefix(v.str(), "/inet") {
		a.out.socket = true
	}
}

// redirect reads print > "file".
func (a *awkReader) redirect(op string) {
	from := a.i - 1
	f := a.concat()
	switch s := f.str(); {
	case strings.HasPrefix(s, "/dev/std") || s == "/dev/tty" || s == "-":
	case strings.HasPrefix(s, "/inet"):
		a.out.socket = true
	case f.glob && op == ">": // a loop over files that another command lists
		a.commandOn("truncate -s 0 -- ", f, from)
	default:
		a.writes(op+" ", f, from)
	}
}
