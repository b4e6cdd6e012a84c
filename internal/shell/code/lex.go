package code

import "strings"

// A lang is a language whose text is cut into tokens. The cutting is tolerant:
// code that no compiler takes still gives tokens.
type lang uint8

const (
	python lang = iota
	javascript
	perl
	ruby
	php
	awk
	opaque // a language that is not read
)

type kind uint8

const (
	tEnd    kind = iota
	tIdent       // a name; with its sigil in perl, ruby and php
	tNumber      // text holds the digits
	tString      // text is what the string means
	tInterp      // a string with parts to fill in; text is as written
	tShell       // `…` and its kin: the text is a shell command, as written
	tWords       // qw(a b), %w[a b]
	tGlob        // <*.c> in perl
	tRegex       // a pattern; it does nothing
	tCode        // a replacement that runs: s/a/b/e
	tOp          // an operator or a bracket
	tHole        // a part of the code that is not known
)

type token struct {
	text       string
	start, end int32
	kind       kind
	nl         bool // a line ends before it
}

// holeText is the part of a text that is not known.
const holeText = "\uFFFC"

type lexer struct {
	src    string
	pos    int
	lang   lang
	toks   []token
	nl     bool
	skipAt int // where the line with a here-document ends
	skipTo int // where the here-document ends

	lastLine bool // no line ends behind pos
}

// lex cuts src into tokens. It takes time in proportion to the length.
func lex(src string, l lang) []token {
	x := lexer{src: src, lang: l, toks: make([]token, 0, len(src)/4+8), skipAt: -1}
	for x.pos < len(src) {
		x.step()
	}
	x.add(tEnd, "", len(src))
	return x.toks
}

func (x *lexer) add(k kind, text string, start int) {
	x.toks = append(x.toks, token{text: text, start: int32(start), end: int32(x.pos), kind: k, nl: x.nl})
	x.nl = false
}

func (x *lexer) at(off int) byte {
	if x.pos+off < len(x.src) {
		return x.src[x.pos+off]
	}
	return 0
}

func (x *lexer) rest() string { return x.src[x.pos:] }

// step takes one token, or one stretch of nothing.
func (x *lexer) step() {
	c := x.src[x.pos]
	switch {
	case c == '\n':
		x.line()
	case c <= ' ':
		x.pos++
	case c == '\\' && (x.at(1) == '\n' || x.at(1) == '\r'):
		x.pos += 2
	case x.comment(c) || x.quoted(c):
	case c >= '0' && c <= '9':
		x.number()
	case strings.HasPrefix(x.rest(), holeText):
		x.pos += len(holeText)
		x.add(tHole, "", x.pos-len(holeText))
	case isLetter(c) || x.sigil(c):
		x.name()
	default:
		x.operator()
	}
}

// line ends a line. A here-document that began on it is stepped over, and so is
// the documentation that perl and ruby keep between lines.
func (x *lexer) line() {
	x.nl = true
	if x.pos == x.skipAt {
		x.pos, x.skipAt = x.skipTo, -1
	} else {
		x.pos++
	}
	if x.at(0) != '=' || !isLetter(x.at(1)) {
		return
	}
	stop := ""
	if x.lang == perl {
		stop = "\n=cut"
	} else if x.lang == ruby && strings.HasPrefix(x.rest(), "=begin") {
		stop = "\n=end"
	}
	if stop != "" {
		x.until(stop)
	}
}

// until goes behind the next stop, or to the end.
func (x *lexer) until(stop string) {
	if i := strings.Index(x.rest(), stop); i >= 0 {
		x.pos += i + len(stop)
	} else {
		x.pos = len(x.src)
	}
}

// lineEnd goes to the end of the line.
func (x *lexer) lineEnd() {
	if i := strings.IndexByte(x.rest(), '\n'); i >= 0 {
		x.pos += i
	} else {
		x.pos = len(x.src)
	}
}

// comment steps over a comment.
func (x *lexer) comment(c byte) bool {
	next := x.at(1)
	switch x.lang {
	case javascript, php:
		if c == '/' && next == '/' {
			x.lineEnd()
			return true
		}
		if c == '/' && next == '*' {
			x.until("*/")
			return true
		}
		if c == '#' && (x.lang == php && next != '[' || x.pos == 0 && next == '!') {
			x.lineEnd()
			return true
		}
	default:
		if c == '#' {
			x.lineEnd()
			return true
		}
	}
	return false
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// sigil reports whether c begins a name in this language.
func (x *lexer) sigil(c byte) bool {
	n := x.at(1)
	switch x.lang {
	case perl:
		switch c {
		case '$':
			return isLetter(n) || isDigit(n) || n == ':' || strings.IndexByte("_&!@/\\,;.0#^$", n) >= 0 && n != 0
		case '@':
			return isLetter(n) || n == '$' || n == '{'
		case '%':
			return isLetter(n) && !x.valueBefore()
		case '&':
			return isLetter(n) && !x.valueBefore()
		}
	case ruby:
		return c == '$' && n > ' ' && strings.IndexByte(" ()", n) < 0 || c == '@' && (isLetter(n) || n == '@')
	case php:
		return c == '$' && isLetter(n)
	case javascript:
		return c == '$'
	}
	return false
}

// name takes a name with its sigil.
func (x *lexer) name() {
	start := x.pos
	if x.sigils() {
		x.add(tIdent, x.src[start:x.pos], start)
		return
	}
	for x.pos < len(x.src) && x.nameByte(x.src[x.pos]) && !strings.HasPrefix(x.rest(), holeText) {
		x.pos++
	}
	if x.lang == ruby {
		x.asks()
	}
	if x.pos == start { // a hole right behind a sigil
		x.pos++
	}
	text := x.src[start:x.pos]
	switch x.lang {
	case perl, ruby:
		if x.wordQuote(text, start) {
			return
		}
	case python:
		if x.prefixed(text, start) {
			return
		}
		if hasOddLetters(text) {
			x.add(tHole, "", start)
			return
		}
	}
	x.add(tIdent, text, start)
}

// sigils steps over the signs before a name, and reports whether they are all of it: $!.
func (x *lexer) sigils() bool {
	c := x.src[x.pos]
	if c != '@' && c != '%' && c != '&' && (c != '$' || x.lang == javascript) {
		return false
	}
	x.pos++
	n := x.at(0)
	if !isLetter(n) && (x.lang == perl || x.lang == ruby && c == '$') {
		if n != 0 && n != '{' {
			x.pos++
		}
		return true
	}
	if n == '@' {
		x.pos++
	}
	return false
}

func (x *lexer) nameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '$' && x.lang == javascript
}

// number takes a number. Its text is what was written, without underscores.
func (x *lexer) number() {
	start := x.pos
	hex := x.at(0) == '0' && (x.at(1)|0x20 == 'x' || x.at(1)|0x20 == 'o' || x.at(1)|0x20 == 'b')
	if hex {
		x.pos += 2
	}
	for x.pos < len(x.src) {
		c := x.src[x.pos]
		dot := c == '.' && !hex && isDigit(x.at(1))
		if !isDigit(c) && c != '_' && !dot && !(isLetter(c) && c < 0x80) {
			break
		}
		x.pos++
	}
	x.add(tNumber, strings.ReplaceAll(x.src[start:x.pos], "_", ""), start)
}

// operators are those of more than one character, longest first.
var operators = [...]string{
	"<<=", ">>=", "**=", "===", "!==", "...", "<=>", "||=", "&&=", "??=", "?->",
	"=>", "->", "::", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^=",
	"||", "&&", "??", "?.", "**", "//", "<<", ">>", "..", ":=", "=~", "!~", "<-", "|>", "|&", "++", "--",
}

func (x *lexer) operator() {
	start := x.pos
	rest := x.rest()
	if strings.IndexByte("=>.:&|?*/<+-~", x.at(1)) < 0 {
		x.pos++
		x.add(tOp, rest[:1], start)
		return
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			if op == "?." && isDigit(x.at(2)) || (op == "//" || op == "//=") && x.lang == ruby {
				continue
			}
			if op == "++" || op == "--" { // they change no text
				x.pos += 2
				return
			}
			if op == "..." && x.lang == javascript || op == "**" && x.lang == python && !x.valueBefore() {
				x.pos += len(op) // a spread: its list stands for itself
				return
			}
			x.pos += len(op)
			x.add(tOp, op, start)
			return
		}
	}
	x.pos++
	x.add(tOp, x.src[start:x.pos], start)
}

// valueBefore reports whether the token before is a value, so that a sign that
// follows is an operator and not the beginning of something.
func (x *lexer) valueBefore() bool {
	if len(x.toks) == 0 {
		return false
	}
	t := &x.toks[len(x.toks)-1]
	switch t.kind {
	case tOp:
		return t.text == ")" || t.text == "]" || t.text == "}"
	case tIdent:
		return !x.wantsValue(t.text)
	case tEnd:
		return false
	}
	return true
}

// wantsValue reports whether a value follows the name, so that a sign behind it
// begins one.
func (x *lexer) wantsValue(name string) bool {
	switch name {
	case "return", "if", "while", "in", "of", "case", "else", "do", "typeof", "await", "yield":
		return true
	case "unless", "until", "and", "or", "not", "split", "grep", "map", "print", "puts", "when", "join", "x", "push", "say",
		"then", "elsif", "unlink", "my", "our", "local", "keys", "values", "each", "for", "foreach", "exec", "system", "p", "eval":
		return x.lang == perl || x.lang == ruby
	}
	return false
}

// hasOddLetters reports whether a name has letters that python reads as plain ones: ｏｓ is os.
func hasOddLetters(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r >= 0xFF01 && r <= 0xFF5E || r >= 0x1D400 && r <= 0x1D7FF })
}
