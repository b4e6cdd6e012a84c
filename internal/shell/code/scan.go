package code

import (
	"cmp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A scanner searches Perl, Ruby or PHP code for functions with effects. It evaluates nothing. A call
// is judged if all its arguments are plain literals, and is unresolved otherwise. Everything that is
// not certainly a string literal counts as code, including regular expressions and here-documents.
type scanner struct {
	*reader
	src  string
	pos  int
	last string // the last identifier read
	end  int    // the offset after last
	net  bool   // the code may use the network
	leak bool   // the code may hold secrets
}

// isScanned reports whether code in the language l is scanned instead of being parsed.
func isScanned(l lang) bool { return l == perl || l == ruby || l == php }

// unresolvedSigns lists character sequences that hint at function names computed at run time, at files
// that perl changes in place, and at URLs.
var unresolvedSigns = [...]string{"&$", "&{", "->$", "*{", "${", "$^I", "://", `").delete`, "').delete"}

// scanCode adds the effects of src, which is written in the scanned language l and runs in the
// environment j.
func (o *result) scanCode(src string, l lang, j *job) {
	s := scanner{reader: &reader{job: j, out: o, lang: l}, src: src, net: strings.Contains(src, "://"), leak: j.holdsSecrets()}
	bare := withoutEscapes(src)
	for _, sign := range unresolvedSigns {
		if strings.Contains(bare, sign) {
			s.addUnresolvedEffect("runs code that checkrein cannot follow: "+sign, sign)
			break
		}
	}
	if l == php && strings.Contains(src, ")(") { // as in ($x.$y)("ls")
		s.addUnresolvedEffect("calls a function chosen at run time", ")(")
	}
	for s.pos < len(s.src) && s.spendStep() {
		s.scanNext()
	}
	if s.net && s.leak && !onlyLocalURLs(src) {
		o.addEffect(shell.Effect{Label: shell.Exfiltration, Kind: "upload", Category: shell.ExfilSecret, Impact: shell.ImpactHigh, Words: facts.ShortFirstLine(src),
			Reason: "sends secrets off the machine"})
	}
}

// onlyLocalURLs reports whether src contains URLs and all of them point to this machine.
func onlyLocalURLs(src string) bool {
	local := false
	for rest := src; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			return local
		}
		from := strings.LastIndexAny(rest[:i], "\"' (") + 1
		to := i + strings.IndexAny(rest[i:]+" ", "\"' )")
		if local = facts.HostOf(unescapeQuoted(rest[from:to])).IsLocal(); !local {
			return false
		}
		rest = rest[to:]
	}
}

// holdsSecrets reports whether an environment variable or argument of the code contains command output
// that may be secret.
func (j *job) holdsSecrets() bool {
	for i := range j.env {
		if outputTaint(j.env[i].Value.From, 0) != 0 {
			return true
		}
	}
	return slices.ContainsFunc(j.args, func(w shell.Word) bool { return outputTaint(w.From, 0) != 0 })
}

// scanNext reads an identifier, a command, a string literal or a single character, and adds its
// effects.
func (s *scanner) scanNext() {
	rest := s.src[s.pos:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, placeholder):
		if s.pos == 0 || strings.IndexByte("/|#@", s.src[s.pos-1]) < 0 { // otherwise it is part of a regular expression
			s.addUnresolvedEffect("contains code that checkrein can only partly read", placeholder)
		}
		s.pos += len(placeholder)
	case isLetter(c) || c == '$' || c == '@':
		s.scanName()
	case c == '`':
		if text, ok := quotedText(rest); ok {
			s.addShellCommand(unescapeQuoted(text))
			s.pos += len(text) + 2
			return
		}
		s.addUnresolvedEffect("runs an unknown command", "`")
		s.pos++
	case c == '%' && s.lang == ruby && strings.HasPrefix(rest, "%x"):
		if text, ok := bracketedText(rest[2:]); ok {
			s.addShellCommand(text)
		} else {
			s.addUnresolvedEffect("runs an unknown command", "%x")
		}
		s.pos += 2
	case c == '"' || c == '\'':
		s.scanString(rest)
	default:
		s.pos++
	}
}

// scanString skips the string literal that rest begins with. It adds effects if the string names a
// file of secrets, a function to call or a command that perl opens, or is an SQL statement.
func (s *scanner) scanString(rest string) {
	prints := facts.InList("echo print puts say p die", s.last) && strings.Trim(s.src[s.end:s.pos], " (") == ""
	s.pos++
	text, ok := quotedText(rest)
	if !ok || !prints && strings.ContainsAny(text, "\n;(){}") {
		return
	}
	s.pos += len(text) + 1
	switch e, acts := findFunction(s.lang, strings.ToLower(text)); {
	case prints:
	case facts.IsSecretFile(text) && (text != strings.ToUpper(text) || strings.Contains(text, "/")): // and not the name of a variable
		s.leak = true
		s.addCommand("cat -- " + quoteText(text))
	case !strings.ContainsAny(text, "./- ") && facts.IsSecretName(text):
		s.leak = true
	case strings.Trim(text, "|") != text, acts && e.op != opRequire:
		s.addUnresolvedEffect("contains the name of a function or command to run", text)
	default:
		s.addSQLStatements(text, text)
	}
}

// scanName reads a dotted name and adds the effects of the first of its parts that has effects.
func (s *scanner) scanName() {
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
		s.addUnresolvedEffect("calls a function chosen at run time", name)
	}
	if key, ok := bracketedText(s.src[s.pos:]); ok && name == "$ENV" && facts.IsSecretName(strings.Trim(key, `"'`)) {
		s.leak = true
	}
	name = strings.ToLower(strings.NewReplacer("::", ".", "->", ".").Replace(name))
	parts := strings.Split(strings.TrimLeft(name, "@"), ".")
	s.last, s.end = parts[len(parts)-1], s.pos
	if n := len(parts); n > 1 {
		if e, ok := findFunction(s.lang, parts[n-2]+"."+parts[n-1]); ok {
			s.scanCall(&e)
			return
		}
	}
	for i, part := range parts {
		e, ok := findFunction(s.lang, part)
		if e.op == opRequire && len(parts) > 1 { // not the keyword, as in JSON.load
			continue
		}
		switch {
		case ok && i == len(parts)-1:
			s.scanCall(&e)
		case ok:
			s.net = s.net || e.op == opConnect
			s.addUnresolvedEffect("calls "+name+" with unknown arguments", name)
			return
		}
	}
}

// scanCall adds the effects of calling the function e, using the literals that follow its name.
func (s *scanner) scanCall(e *entry) {
	if e.op == opRequire {
		s.scanRequire()
		return
	}
	s.net = s.net || e.op == opConnect
	src := s.src[s.pos:]
	if _, after, ok := strings.Cut(src, ","); ok && s.lang == perl && e.name == "open" { // the file handle comes first
		src = after
	}
	args, rest, plain := literalArgs(src)
	if text, ok := bracketedText(src); ok && e.name == "qx" {
		args, plain = []string{text}, true
	}
	if n := len(args); e.op == opShell && plain && n > 1 && (s.lang == php || facts.InList("r w r+ w+", args[n-1])) { // the last argument is the mode of popen
		plain = args[n-1] == "r"
		args = args[:1]
	}
	switch {
	case e.op > lastConnection:
		values := make([]value, len(args))
		for i := range args {
			values[i] = textValue(args[i])
		}
		s.applyDatabaseOp(e, values, 0)
		if e.op == opSQL && !plain {
			s.addUnresolvedEffect("contains a statement that checkrein can only partly read", e.name)
		}
	case !plain || e.op == opDyn || e.op == opConnect:
		s.addUnresolvedEffect("calls "+e.name+" with unknown arguments", e.name)
		s.addGuessedFileCommand(e, src)
	case e.op == opShell && len(args) == 1:
		s.addShellCommand(args[0])
	case e.op == opOpen:
		s.scanOpen(args)
		s.pos = len(s.src) - len(rest)
	default:
		for i := range args {
			args[i] = quoteText(args[i])
		}
		if e.op == opWrite { // the other arguments are the contents
			args = args[:1]
		}
		s.addCommand(scannedCommands[e.op] + strings.Join(args, " "))
		s.pos = len(s.src) - len(rest)
	}
}

// addShellCommand adds cmd as a nested command, and records whether it reads secrets.
func (s *scanner) addShellCommand(cmd string) {
	s.leak = s.leak || readsSecrets(cmd)
	s.addCommand(cmd)
}

// addGuessedFileCommand adds the command for a call of e on a file whose path is only partly known. It
// takes the first literal with a slash in given, the source of the arguments, for the path.
func (s *scanner) addGuessedFileCommand(e *entry, given string) {
	if e.op < lastPlace || e.op > lastFile {
		return
	}
	given = given[:min(len(given), 200)]
	if i := strings.IndexAny(given, ";\n"); i >= 0 {
		given = given[:i]
	}
	i := strings.IndexByte(given, '/')
	if i < 0 {
		return
	}
	from := strings.LastIndexAny(given[:i], "\"' ]})+.<(") + 1
	to := i + strings.IndexAny(given[i:]+"'", "\"' )>")
	path := given[from:to]
	before := strings.TrimRight(given[:from], "\"'")
	joined := before == given[:from] || strings.HasSuffix(strings.TrimSpace(before), "+") || strings.HasSuffix(before, ".")
	if from == i && joined {
		path = placeholder + path
		if strings.Contains(strings.ToLower(before), "home") { // as in Dir.home or $ENV{HOME}
			path = homeMark + path[len(placeholder):]
		}
	}
	if k := strings.IndexAny(path, "$#"); k >= 0 {
		path = path[:k] + placeholder
	}
	v := value{form: text, text: path, glob: strings.Contains(path, "*")}
	s.addCommand(cmp.Or(scannedCommands[e.op], "printf x > ") + shellQuote(&v))
}

// scannedCommands holds the beginning of the shell command that is equivalent to each operation.
var scannedCommands = [...]string{opDel: rmFile, opRmdir: rmDir, opDelTree: rmTree, opWrite: "printf x > ", opMove: "mv -- ", opCopy: "cp -- ",
	opTruncate: "truncate -s 0 -- ", opShell: ""}

// scanOpen adds the effects of opening a file with args. The mode comes before the path in Perl, and
// after it in Ruby and PHP.
func (s *scanner) scanOpen(args []string) {
	path, mode := args[0], "r"
	if len(args) > 1 {
		mode = args[1]
	}
	if s.lang == perl && len(args) > 1 {
		path, mode = mode, path
	}
	if strings.ContainsAny(path, "<>|") { // in Perl, a command, or a path with its mode
		mode = "+"
	}
	switch strings.Trim(mode, "bt ") {
	case "r", "<":
		if facts.IsSecretFile(path) {
			s.leak = true
			s.addCommand("cat -- " + quoteText(path))
		}
	case "w", ">", "a", ">>", "w+":
		s.addCommand("printf x > " + quoteText(path))
	default:
		s.addUnresolvedEffect("opens a file in an unknown mode", path)
	}
}

// scanRequire adds the effects of loading the module or file that follows require, use or a similar
// word.
func (s *scanner) scanRequire() {
	rest := strings.TrimLeft(s.src[s.pos:], " (")
	module, ok := quotedText(rest)
	if !ok {
		module = rest[:len(rest)-len(strings.TrimLeft(rest, identChars+":."))]
	}
	switch {
	case s.last == "do" && !ok: // a block, as in do { … }
	case s.last == "load" || ok && s.lang == ruby && strings.HasPrefix(module, "/"):
		s.addUnresolvedEffect("runs another file", module)
	case strings.Trim(module, "v0123456789.") == "" && module != "", s.lang == php && strings.HasSuffix(module, "autoload.php"):
	case s.lang == php && !ok: // a namespace, as in use Name\Space
	case s.lang == php, module == "", !isKnownModule(s.lang, module):
		s.addUnreadEffect("loads "+module+", which checkrein did not read", module)
	}
}

// bracketedText returns the text between the bracket that s begins with and the next closing one. It
// reports false if s begins with no bracket, or the text may contain interpolation.
func bracketedText(s string) (string, bool) {
	open := strings.IndexByte("({[|/!<", (s + " ")[0])
	if open < 0 {
		return "", false
	}
	text, _, closed := strings.Cut(s[1:], ")}]|/!>"[open:open+1])
	return text, closed && !strings.ContainsAny(text, `$@#\`)
}

// quotedText returns the raw text between the quotes that s begins with. It reports false if s begins
// with no quoted text, or the text contains interpolation or an escape that unescapeQuoted does not
// replace.
func quotedText(s string) (string, bool) {
	if s == "" || strings.IndexByte("\"'`", s[0]) < 0 {
		return "", false
	}
	end := 1
	for end < len(s) && s[end] != s[0] {
		if s[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s) {
		return "", false
	}
	text := s[1:end]
	if s[0] == '\'' {
		return text, !strings.Contains(text, `\`) && !strings.Contains(text, placeholder)
	}
	return text, !strings.ContainsAny(withoutEscapes(text), `$@#\`) && !strings.Contains(text, placeholder)
}

// unescapeQuoted returns s, the raw text of a double-quoted string, with the common escapes replaced.
func unescapeQuoted(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`, `\$`, "$", `\@`, "@", `\#`, "#").Replace(s)
}

// withoutEscapes returns s without the escapes that unescapeQuoted replaces.
func withoutEscapes(s string) string {
	return strings.NewReplacer(`\\`, "", `\n`, "", `\t`, "", `\"`, "", `\$`, "", `\@`, "", `\#`, "").Replace(s)
}

// literalArgs returns the arguments that s begins with, which may be in parentheses, and the source
// after them. Plain is false unless all arguments are string literals.
func literalArgs(s string) (args []string, rest string, allLiteral bool) {
	s = strings.TrimLeft(s, " ")
	rest, brackets := strings.CutPrefix(s, "(")
	for {
		rest = strings.TrimLeft(rest, " [")
		text, ok := quotedText(rest)
		if !ok {
			return args, rest, false
		}
		args = append(args, unescapeQuoted(text))
		rest = strings.TrimLeft(rest[len(text)+2:], " ]")
		var more bool
		if rest, more = strings.CutPrefix(rest, ","); !more {
			break
		}
	}
	end := rest == "" || strings.IndexByte(";}\n)", rest[0]) >= 0 || hasAnyPrefix(rest, "or ", "||", "if ", "unless ")
	return args, rest, end && (!brackets || strings.HasPrefix(rest, ")"))
}

// quoteText returns s as a single shell word.
func quoteText(s string) string {
	v := textValue(s)
	return shellQuote(&v)
}
