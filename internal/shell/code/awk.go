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
	secret string // a file with secrets that it reads
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
	for i := range a.toks {
		o.socket = o.socket || a.toks[i].kind == tString && connects(a.toks[i].text)
	}
	a.walk()
	o.addFileArgs(files, inplace, awk)
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
	for a.i = 0; a.peek().kind != tEnd && a.spendStep(); {
		t := a.peek()
		if t.nl && level == 0 {
			printing = false
		}
		from := a.i
		a.i++
		switch {
		case t.isWord("print") || t.isWord("printf"):
			printing, level = true, 0
		case t.isWord("system") && a.accept("("):
			a.runShellText(a.concat(), from)
		case t.isOp("("):
			level++
		case t.isOp(")"):
			level--
		case t.kind == tOp && facts.InList("; { }", t.text):
			printing, level = false, 0
		case t.isOp("|") || t.isOp("|&"):
			a.pipe(from)
		case printing && level <= 0 && (t.isOp(">") || t.isOp(">>")):
			a.redirect(t.text)
		case t.isWord("getline"):
			a.getline()
		case t.kind == tPlaceholder:
			a.unresolved("contains code that checkrein can only partly read", a.snippet(max(from-3, 0)))
		case t.isOp("@") && a.peek().kind == tIdent:
			a.unresolved("calls a function whose name is unknown", a.snippet(from))
		}
	}
}

// getline reads getline < "file" and getline x < "file".
func (a *awkReader) getline() {
	if a.peek().kind == tIdent && a.peekAt(1).isOp("<") {
		a.i++
	}
	if !a.accept("<") {
		return
	}
	f := a.concat()
	a.addRead(f)
	if facts.SecretFile(f.str()) {
		a.secret = f.str()
	}
}

// concat reads texts that stand next to each other; variables and fields are unknown.
func (a *awkReader) concat() value {
	out := textValue("")
	for n := 0; a.spendStep(); n++ {
		t := a.peek()
		if t.kind == tEnd || t.nl && n > 0 || t.kind == tOp && facts.InList(") ; } { | |& > >> , < ? :", t.text) {
			break
		}
		a.i++
		switch {
		case t.kind == tString:
			out = join(out, textValue(t.text))
		case t.isWord("ENVIRON") && a.peek().isOp("[") && a.peekAt(1).kind == tString:
			out = join(out, a.envValue(a.peekAt(1).text))
			a.i += 3
		case t.isOp("$"):
			a.i = min(a.i+1, len(a.toks)-1)
			out = join(out, value{})
		case t.isOp("("):
			out = join(out, a.concat())
			a.accept(")")
		default:
			out = join(out, value{})
		}
	}
	return out
}

// pipe reads print | "cmd" and "cmd" | getline; the bar is at from.
func (a *awkReader) pipe(from int) {
	if a.peek().isWord("getline") {
		cmd := value{}
		if from > 0 && a.toks[from-1].kind == tString && (from == 1 || a.toks[from-2].kind == tOp) {
			cmd = textValue(a.toks[from-1].text)
		}
		if !connects(cmd.text) {
			a.runShellText(cmd, from)
		}
		return
	}
	cmd := a.concat()
	switch {
	case connects(cmd.text):
	case slices.ContainsFunc(strings.Fields(cmd.str()), startsWithShell): // also behind sudo
		a.unresolved("pipes unknown commands to a shell", a.snippet(from))
	case a.secret != "" && cmd.isKnown(): // what it prints comes from there
		a.runs("cat -- " + quoteText(a.secret) + " | " + cmd.text)
	default:
		a.runShellText(cmd, from)
	}
}

// connects reports whether gawk opens a connection by that name.
func connects(name string) bool { return strings.HasPrefix(name, "/inet") }

// redirect reads print > "file".
func (a *awkReader) redirect(op string) {
	from := a.i - 1
	f := a.concat()
	switch s := f.str(); {
	case strings.HasPrefix(s, "/dev/std"), s == "/dev/tty", s == "-", connects(s):
	case f.isBlank():
		a.unresolved("writes a file whose name is computed", a.snippet(from))
	default:
		a.addWrite(op+" ", f, from)
	}
}
