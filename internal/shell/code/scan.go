package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A scanner goes over the words of code in Perl, Ruby or PHP. It computes nothing: a
// function that acts is judged if its arguments are plain texts, and else is unknown.
// What is not certainly a text counts as code, so patterns and here-documents do too.
type scanner struct {
	*reader
	src  string
	pos  int
	last string // the word before
	end  int    // where it ends
}

// isScanned reports whether code in the language is scanned for words only.
func isScanned(l lang) bool { return l == perl || l == ruby || l == php }

// scannedSigns stand for calls of functions whose names are computed, for files that perl
// changes in place, and for other machines.
var scannedSigns = [...]string{"%x(", "%x{", "%x[", "%x|", "%x<", "&$", "&{", "->$", "*{", "${", "$^I", "://", `")(`, "')("}

// scan judges scanned code.
func (o *result) scan(src string, l lang) {
	s := scanner{reader: &reader{job: &job{}, out: o, lang: l}, src: src}
	for _, sign := range scannedSigns {
		if strings.Contains(src, sign) {
			s.unresolved("runs code that checkrein cannot follow: "+sign, sign)
			break
		}
	}
	for s.pos < len(s.src) && s.spend() {
		s.step()
	}
}

// step takes a word, a text or a sign.
func (s *scanner) step() {
	rest := s.src[s.pos:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, holeText):
		if s.pos == 0 || strings.IndexByte("/|#@", s.src[s.pos-1]) < 0 { // not a part of a pattern
			s.unresolved("contains code that checkrein can only partly read", holeText)
		}
		s.pos += len(holeText)
	case isLetter(c) || c == '$' || c == '@':
		s.word()
	case c == '`':
		if text, ok := quotedText(rest); ok {
			s.runs(text)
			s.pos += len(text) + 2
			return
		}
		s.unresolved("runs an unknown command", "`")
		s.pos++
	case c == '"' || c == '\'':
		s.text(rest)
	default:
		s.pos++
	}
}

// text steps over a text that is certainly one. It may name a file of secrets, a function
// to call, or a command that perl opens.
func (s *scanner) text(rest string) {
	prints := facts.InList("echo print puts say p die", s.last) && strings.Trim(s.src[s.end:s.pos], " (") == ""
	s.pos++
	text, ok := quotedText(rest)
	if !ok || !prints && strings.ContainsAny(text, "\n;(){}") {
		return
	}
	s.pos += len(text) + 1
	switch e, acts := find(s.lang, strings.ToLower(text)); {
	case prints:
	case facts.SecretFile(text):
		s.runs("cat -- " + quoteText(text))
	case strings.Trim(text, "|") != text, acts && e.op != opRequire:
		s.unresolved("names a function or a command to run", text)
	default:
		s.statements(text, text)
	}
}

// word takes a name with its parts, and judges the first of them that acts.
func (s *scanner) word() {
	start := s.pos
	s.pos++
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		joint := len(rest) - len(strings.TrimLeft(rest, ".:->"))
		switch {
		case isLetter(rest[0]) || isDigit(rest[0]):
			s.pos++
			continue
		case joint > 0 && facts.InList(". :: ->", rest[:joint]) && joint < len(rest) && isLetter(rest[joint]):
			s.pos += joint + 1
			continue
		}
		break
	}
	name := s.src[start:s.pos]
	if s.lang == php && name[0] == '$' && !strings.Contains(name, "-") && strings.HasPrefix(s.src[s.pos:], "(") {
		s.unresolved("calls a function chosen at run time", name)
	}
	name = strings.ToLower(strings.NewReplacer("::", ".", "->", ".").Replace(name))
	parts := strings.Split(strings.TrimLeft(name, "@"), ".")
	s.last, s.end = parts[len(parts)-1], s.pos
	if n := len(parts); n > 1 {
		if e, ok := find(s.lang, parts[n-2]+"."+parts[n-1]); ok {
			s.acts(&e)
			return
		}
	}
	for i, part := range parts {
		e, ok := find(s.lang, part)
		if e.op == opRequire && len(parts) > 1 { // JSON.load
			continue
		}
		switch {
		case ok && i == len(parts)-1:
			s.acts(&e)
		case ok:
			s.unresolved("calls "+name+" with unknown arguments", name)
			return
		}
	}
}

// acts judges a function that acts, by the texts behind it.
func (s *scanner) acts(e *entry) {
	if e.op == opRequire {
		s.requires()
		return
	}
	args, rest, plain := plainTexts(s.src[s.pos:])
	if n := len(args); e.op == opShell && plain && n > 1 && (s.lang == php || facts.InList("r w r+ w+", args[n-1])) { // of popen
		plain = args[n-1] == "r"
		args = args[:1]
	}
	switch {
	case e.op > lastConnection:
		given := make([]value, len(args))
		for i := range args {
			given[i] = known(args[i])
		}
		s.database(e, given, 0)
		if e.op == opSQL && !plain {
			s.unresolved("contains a statement that checkrein can only partly read", e.name)
		}
	case !plain || e.op == opDyn:
		s.unresolved("calls "+e.name+" with unknown arguments", e.name)
	case e.op == opShell && len(args) == 1:
		s.runs(args[0])
	case e.op == opOpen:
		s.opens(args)
		s.pos = len(s.src) - len(rest)
	default:
		for i := range args {
			args[i] = quoteText(args[i])
		}
		if e.op == opWrite { // what follows is what is written
			args = args[:1]
		}
		s.runs(scannedCommands[e.op] + strings.Join(args, " "))
		s.pos = len(s.src) - len(rest)
	}
}

// scannedCommands are the commands that do what a function does.
var scannedCommands = [...]string{opDel: rmFile, opRmdir: rmDir, opDelTree: rmTree, opWrite: "printf x > ", opMove: "mv -- ", opCopy: "cp -- ",
	opTruncate: "truncate -s 0 -- ", opShell: ""}

// opens judges a file that is opened: with a mode in front of it in Perl, behind it in
// Ruby and PHP.
func (s *scanner) opens(args []string) {
	path, mode := args[0], "r"
	if len(args) > 1 {
		mode = args[1]
	}
	if s.lang == perl && len(args) > 1 {
		path, mode = mode, path
	}
	if strings.ContainsAny(path, "<>|") { // a command, or a mode in Perl
		mode = "+"
	}
	switch strings.Trim(mode, "bt ") {
	case "r", "<":
		if facts.SecretFile(path) {
			s.runs("cat -- " + quoteText(path))
		}
	case "w", ">", "a", ">>", "w+":
		s.runs("printf x > " + quoteText(path))
	default:
		s.unresolved("opens a file in an unknown mode", path)
	}
}

// requires judges the module that code loads.
func (s *scanner) requires() {
	rest := strings.TrimLeft(s.src[s.pos:], " (")
	module, ok := quotedText(rest)
	if !ok {
		module = rest[:len(rest)-len(strings.TrimLeft(rest, wordLetters+":."))]
	}
	switch {
	case strings.Trim(module, "v0123456789.") == "" && module != "", s.lang == php && strings.HasSuffix(module, "autoload.php"):
	case s.lang == php && !ok: // use Name\Space
	case s.lang == php, module == "", !knowsModule(s.lang, module):
		s.unread("loads "+module+", which checkrein did not read", module)
	}
}

// quotedText returns the text between the quotes that s begins with. It reports false for
// one with escapes or parts to fill in.
func quotedText(s string) (string, bool) {
	if s == "" || strings.IndexByte("\"'`", s[0]) < 0 {
		return "", false
	}
	text, _, closed := strings.Cut(s[1:], s[:1])
	return text, closed && !strings.Contains(text, `\`) && !strings.Contains(text, holeText) && (s[0] == '\'' || !strings.ContainsAny(text, "$@#"))
}

// plainTexts returns the arguments of a call that s begins with, and what follows them. It
// reports false unless all of them are texts.
func plainTexts(s string) (args []string, rest string, plain bool) {
	s = strings.TrimLeft(s, " ")
	rest, brackets := strings.CutPrefix(s, "(")
	for {
		rest = strings.TrimLeft(rest, " [")
		text, ok := quotedText(rest)
		if !ok {
			return args, rest, false
		}
		args = append(args, text)
		rest = strings.TrimLeft(rest[len(text)+2:], " ]")
		var more bool
		if rest, more = strings.CutPrefix(rest, ","); !more {
			break
		}
	}
	end := rest == "" || strings.IndexByte(";}\n)", rest[0]) >= 0
	return args, rest, end && (!brackets || strings.HasPrefix(rest, ")"))
}

func quoteText(s string) string {
	v := known(s)
	return quote(&v)
}
