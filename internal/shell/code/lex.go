package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A lang is a language whose text is cut into tokens. The cutting is tolerant:
// code that no compiler takes still gives tokens.
type lang uint8

const (
	python lang = iota
	javascript
	awk
	perl
	ruby
	php
	opaque // a language that is not read
)

type kind uint8

const (
	tEnd    kind = iota
	tIdent       // a name
	tNumber      // text is the number as written, without underscores
	tString      // text is the unescaped string
	tInterp      // a string with interpolation; text is as written
	tRegex       // a regular expression, which has no effect
	tOp          // an operator or a bracket
	tHole        // an unknown part of the code
)

type token struct {
	text       string
	start, end int32
	kind       kind
	nl         bool // a newline precedes it
}

// holeText is the part of a text that is not known.
const holeText = "\uFFFC"

type lexer struct {
	src  string
	pos  int
	lang lang
	toks []token
	nl   bool
}

// lex cuts src into tokens. It takes time in proportion to the length.
func lex(src string, l lang) []token {
	x := lexer{src: src, lang: l, toks: make([]token, 0, len(src)/4+8)}
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
		x.nl = true
		x.pos++
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
	case isLetter(c) || c == '$' && x.lang == javascript:
		x.name()
	default:
		x.operator()
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
	switch {
	case x.lang == javascript && strings.HasPrefix(x.rest(), "/*"):
		if i := strings.Index(x.rest(), "*/"); i >= 0 {
			x.pos += i + 2
		} else {
			x.pos = len(x.src)
		}
	case x.lang == javascript && (strings.HasPrefix(x.rest(), "//") || x.pos == 0 && strings.HasPrefix(x.src, "#!")),
		x.lang != javascript && c == '#':
		x.lineEnd()
	default:
		return false
	}
	return true
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// name takes a name.
func (x *lexer) name() {
	start := x.pos
	for x.pos < len(x.src) && x.nameByte(x.src[x.pos]) && !strings.HasPrefix(x.rest(), holeText) {
		x.pos++
	}
	text := x.src[start:x.pos]
	if x.lang == python {
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
			if op == "?." && isDigit(x.at(2)) {
				continue
			}
			if op == "++" || op == "--" { // increments are of no interest
				x.pos += 2
				return
			}
			if op == "..." && x.lang == javascript || op == "**" && x.lang == python && !x.valueBefore() {
				x.pos += len(op) // a spread: its list stands for its items
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
		return !facts.InList("return if while in of case else do typeof await yield", t.text)
	case tEnd:
		return false
	}
	return true
}

// hasOddLetters reports whether a name has letters that python reads as plain ones: ｏｓ is os.
func hasOddLetters(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r >= 0xFF01 && r <= 0xFF5E || r >= 0x1D400 && r <= 0x1D7FF })
}
