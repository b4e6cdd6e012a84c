package code

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// An awkReader reads an awk program: system(), commands in pipes, files in redirections.
type awkReader struct {
	reader
	secret  string // a file with secrets that it reads
	printed int    // where what is printed begins
}

// runAwk returns what a call of awk does.
func runAwk(c *shell.Call) ([]shell.Effect, []string, bool) {
	o := &result{}
	a := awkReader{reader: reader{job: &job{env: c.Env}, out: o, lang: awk}}
	src, files, inplace := a.split(c)
	src = a.whole(src)
	o.steps = stepsBase + stepsEach*len(src)
	for i := range files {
		if facts.SecretFile(files[i].Text) {
			a.secret = files[i].Text
		}
	}
	a.src, a.toks = src, lex(src, awk)
	a.walk()
	o.files(files, inplace, awk)
	if o.socket {
		a.note(shell.Effect{Label: shell.Exfiltration, Kind: "connect", Category: shell.RemoteShell, Radius: shell.RadiusHigh, Words: c.Name,
			Reason: "connects to another machine"})
	}
	if len(o.effects) == 0 {
		a.note(shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.TextRead, Words: c.Name, Reason: "reads and prints text"})
	}
	return o.effects, o.nested, true
}

// split returns the program and the files among the words.
func (a *awkReader) split(c *shell.Call) (src string, files []shell.Word, inplace bool) {
	var k program.Walk
	k.StartAs(c, "awk")
	found := false
	for k.Next() {
		switch k.Name {
		case "":
			if found {
				return src, k.From(), inplace
			}
			src, found = k.Arg.Text, true
		case "v", "assign":
			if n, v, ok := strings.Cut(k.Arg.Text, "="); ok {
				a.bind(n, known(v))
			}
		case "e", "source":
			src, found = src+"\n"+k.Arg.Text, true
		case "f", "file", "E", "exec":
			src, found = src+"\n"+a.script(c, k.Arg.Text), true
		case "i", "include", "l", "load":
			if inplace = inplace || k.Arg.Text == "inplace"; k.Arg.Text != "inplace" {
				a.unread("runs an awk script that checkrein did not read", c.Name)
			}
		case "version", "V", "help", "h":
			if !found {
				return "", nil, false
			}
		}
	}
	return src, nil, inplace
}

// script returns the text of a script that the same command wrote.
func (a *awkReader) script(c *shell.Call, name string) string {
	text, have, sure := scriptText(c, name)
	switch {
	case !have:
		a.unread("runs an awk script that checkrein did not read", c.Name+" "+name)
	case !sure:
		a.unresolved("contains a script that checkrein can only partly read", name)
	}
	return text
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
		case t.is("|") || t.is("|&"):
			a.pipe(from)
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
	a.reads(f)
	if facts.SecretFile(f.str()) {
		a.secret = f.str()
	}
	a.connectsTo(f)
}

// concat reads texts that stand next to each other.
func (a *awkReader) concat() value {
	out := known("")
	for n := 0; a.spend(); n++ {
		t := a.peek()
		if t.kind == tEnd || t.nl && n > 0 {
			break
		}
		if t.kind != tOp {
			a.i++
			out = join(out, a.word(t))
			continue
		}
		switch t.text {
		case ")", ";", "}", "{", "|", "|&", ">", ">>", ",", "<", "?", ":":
			return out
		case "$":
			a.i = min(a.i+2, len(a.toks)-1)
			out = join(out, value{taint: fromFile})
		case "(":
			a.i++
			out = join(out, a.concat())
			a.accept(")")
		default:
			a.i++
			out = join(out, value{})
		}
	}
	return out
}

// word returns the value of a text, a variable or a call.
func (a *awkReader) word(t *token) (v value) {
	switch indexed := a.peek().is("[") && a.ahead(2).is("]"); {
	case t.kind == tString || t.kind == tNumber:
		return known(t.text)
	case t.kind != tIdent:
	case a.accept("("):
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

// close goes behind the bracket that closes the open one.
func (a *awkReader) close() {
	for level := 1; a.peek().kind != tEnd && level > 0 && a.spend(); a.i++ {
		if t := a.peek(); t.is("(") {
			level++
		} else if t.is(")") {
			level--
		}
	}
}

// pipe reads print | "cmd" and "cmd" | getline; the bar is at from.
func (a *awkReader) pipe(from int) {
	if a.peek().word("getline") {
		a.pipeIn(from)
		return
	}
	cmd := a.concat()
	if a.connectsTo(cmd) {
		return
	}
	if a.printed > 0 && a.printed <= from { // print "rm x" | "sh"
		switch what := a.prints(from); {
		case isShell(cmd.str()) && !what.blank():
			a.runs(what.str())
			return
		case what.isKnown() && cmd.isKnown():
			a.runs("printf '%s\\n' " + quote(&what) + " | " + cmd.text)
			return
		case slices.ContainsFunc(strings.Fields(cmd.str()), isShell): // also behind sudo
			a.unresolved("pipes unknown commands to a shell", a.snippet(a.printed))
		}
	}
	if a.secret != "" && cmd.form == text { // what it prints comes from there
		f := known(a.secret)
		a.runs("cat -- " + quote(&f) + " | " + cmd.text)
		return
	}
	a.shellText(cmd, from)
}

// pipeIn reads "cmd" | getline x.
func (a *awkReader) pipeIn(from int) {
	back := from
	for back > 0 && back > from-12 && (a.toks[back-1].kind == tString ||
		a.toks[back-1].kind == tIdent && !facts.InList("while if print return", a.toks[back-1].text)) {
		back--
	}
	at := a.i
	a.i = back
	cmd := a.concat()
	a.i = max(at, a.i)
	if !a.connectsTo(cmd) {
		a.shellText(cmd, from)
	}
	if a.peek().word("getline") {
		a.i++
	}
	if t := a.peek(); t.kind == tIdent && !t.nl {
		a.bind(t.text, value{taint: fromCommand})
	}
}

// prints returns what the print statement before the pipe at from prints.
func (a *awkReader) prints(from int) value {
	at := a.i
	defer func() { a.i = at }()
	a.i = a.printed
	if a.toks[a.printed-1].word("printf") {
		return value{}
	}
	list := a.accept("(")
	out := a.concat()
	for n := 0; n < 32 && a.accept(","); n++ {
		out = join(join(out, known(" ")), a.concat())
	}
	if list {
		a.accept(")")
	}
	if a.i != from || from == a.printed {
		return value{}
	}
	return out
}

// connectsTo reports whether gawk opens a connection by that name.
func (a *awkReader) connectsTo(v value) bool {
	if !strings.HasPrefix(v.str(), "/inet") {
		return false
	}
	a.out.socket = true
	return true
}

// redirect reads print > "file".
func (a *awkReader) redirect(op string) {
	from := a.i - 1
	f := a.concat()
	switch s := f.str(); {
	case strings.HasPrefix(s, "/dev/std") || s == "/dev/tty" || s == "-" || a.connectsTo(f):
	case f.taint&fromCommand != 0: // a loop over files that another command lists
		a.unresolved("writes files that another command lists", a.snippet(from))
	default:
		a.writes(op+" ", f, from)
	}
}
