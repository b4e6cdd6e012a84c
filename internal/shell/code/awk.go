package code

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// An awkReader finds the effects of an awk program: calls of system, commands in pipes, and files in
// redirections.
type awkReader struct {
	reader
	secret string // the last file of secrets that the program reads, or ""
}

// awkEffects returns the effects of the awk program that c runs.
func awkEffects(c *shell.Call) ([]shell.Effect, []string, bool) {
	o := &result{}
	a := awkReader{reader: reader{job: &job{env: c.Env}, out: o, lang: awk}}
	src, files, inplace := a.parseArgs(c)
	src = a.truncateScript(src)
	o.steps = stepsBase + stepsEach*len(src)
	for i := range files {
		if facts.IsSecretFile(files[i].Text) {
			a.secret = files[i].Text
		}
	}
	a.src, a.toks = src, tokenize(src, awk)
	for i := range a.toks {
		o.socket = o.socket || a.toks[i].kind == tString && isNetworkFile(a.toks[i].text)
	}
	a.addProgramEffects()
	o.addFileArgEffects(files, inplace, awk)
	if o.socket {
		a.addEffect(shell.Effect{Label: shell.Exfiltration, Kind: "connect", Category: shell.RemoteShell, Impact: shell.ImpactHigh, Words: c.Name,
			Reason: "connects to another machine"})
	}
	if len(o.effects) == 0 {
		a.addEffect(shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.TextRead, Words: c.Name, Reason: "reads and prints text"})
	}
	return o.effects, o.nested, true
}

// parseArgs returns the source of the awk program that c runs, its input files, and whether it changes
// them in place.
func (a *awkReader) parseArgs(c *shell.Call) (src string, files []shell.Word, inplace bool) {
	var k program.Walk
	k.StartAs(c, "awk")
	found := false
	for k.Next() {
		switch k.Name {
		case "":
			if found {
				return src, k.ArgsFromCurrent(), inplace
			}
			src, found = k.Arg.Text, true
		case "e", "source":
			src, found = src+"\n"+k.Arg.Text, true
		case "f", "file", "E", "exec":
			src, found = src+"\n"+a.scriptSource(c, k.Arg.Text), true
		case "i", "include", "l", "load":
			if inplace = inplace || k.Arg.Text == "inplace"; k.Arg.Text != "inplace" {
				a.addUnreadEffect("runs an awk script that checkrein did not read", c.Name)
			}
		case "version", "V", "help", "h":
			if !found {
				return "", nil, false
			}
		}
	}
	return src, nil, inplace
}

// scriptSource returns the known text of the script name, and adds an effect if it is not fully known.
func (a *awkReader) scriptSource(c *shell.Call, name string) string {
	text, have, sure := scriptText(c, name)
	switch {
	case !have:
		a.addUnreadEffect("runs an awk script that checkrein did not read", c.Name+" "+name)
	case !sure:
		a.addUnresolvedEffect("contains a script that checkrein can only partly read", name)
	}
	return text
}

// addProgramEffects adds the effects of the whole program.
func (a *awkReader) addProgramEffects() {
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
			a.addCommandLine(a.readConcat(), from)
		case t.isOp("("):
			level++
		case t.isOp(")"):
			level--
		case t.kind == tOp && facts.InList("; { }", t.text):
			printing, level = false, 0
		case t.isOp("|") || t.isOp("|&"):
			a.readPipe(from)
		case printing && level <= 0 && (t.isOp(">") || t.isOp(">>")):
			a.readRedirect(t.text)
		case t.isWord("getline"):
			a.readGetline()
		case t.kind == tPlaceholder:
			a.addUnresolvedEffect("contains code that checkrein can only partly read", a.snippet(max(from-3, 0)))
		case t.isOp("@") && a.peek().kind == tIdent:
			a.addUnresolvedEffect("calls a function whose name is unknown", a.snippet(from))
		}
	}
}

// readGetline reads the rest of getline < "file" or getline x < "file", and adds the read.
func (a *awkReader) readGetline() {
	if a.peek().kind == tIdent && a.peekAt(1).isOp("<") {
		a.i++
	}
	if !a.accept("<") {
		return
	}
	f := a.readConcat()
	a.addRead(f)
	if facts.IsSecretFile(f.str()) {
		a.secret = f.str()
	}
}

// readConcat reads adjacent operands and returns their concatenation. Variables and fields are
// unknown.
func (a *awkReader) readConcat() value {
	out := textValue("")
	for n := 0; a.spendStep(); n++ {
		t := a.peek()
		if t.kind == tEnd || t.nl && n > 0 || t.kind == tOp && facts.InList(") ; } { | |& > >> , < ? :", t.text) {
			break
		}
		a.i++
		switch {
		case t.kind == tString:
			out = concat(out, textValue(t.text))
		case t.isWord("ENVIRON") && a.peek().isOp("[") && a.peekAt(1).kind == tString:
			out = concat(out, a.envValue(a.peekAt(1).text))
			a.i += 3
		case t.isOp("$"):
			a.i = min(a.i+1, len(a.toks)-1)
			out = concat(out, value{})
		case t.isOp("("):
			out = concat(out, a.readConcat())
			a.accept(")")
		default:
			out = concat(out, value{})
		}
	}
	return out
}

// readPipe reads the rest of print | "cmd" or "cmd" | getline and adds the command. From is the index
// of the | token.
func (a *awkReader) readPipe(from int) {
	if a.peek().isWord("getline") {
		cmd := value{}
		if from > 0 && a.toks[from-1].kind == tString && (from == 1 || a.toks[from-2].kind == tOp) {
			cmd = textValue(a.toks[from-1].text)
		}
		if !isNetworkFile(cmd.text) {
			a.addCommandLine(cmd, from)
		}
		return
	}
	cmd := a.readConcat()
	switch {
	case isNetworkFile(cmd.text):
	case slices.ContainsFunc(strings.Fields(cmd.str()), startsWithShell): // any word, as in sudo sh
		a.addUnresolvedEffect("pipes unknown commands to a shell", a.snippet(from))
	case a.secret != "" && cmd.isKnownText(): // the program may print that file
		a.addCommand("cat -- " + quoteText(a.secret) + " | " + cmd.text)
	default:
		a.addCommandLine(cmd, from)
	}
}

// isNetworkFile reports whether gawk opens a network connection for the file name.
func isNetworkFile(name string) bool { return strings.HasPrefix(name, "/inet") }

// readRedirect reads the file after print > or print >>, and adds the write. Op is the redirection.
func (a *awkReader) readRedirect(op string) {
	from := a.i - 1
	f := a.readConcat()
	switch s := f.str(); {
	case strings.HasPrefix(s, "/dev/std"), s == "/dev/tty", s == "-", isNetworkFile(s):
	case f.isBlank():
		a.addUnresolvedEffect("writes a file whose name is computed", a.snippet(from))
	default:
		a.addWrite(op+" ", f, from)
	}
}
