package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A lang is a programming language.
type lang uint8

const (
	python lang = iota
	javascript
	awk
	perl
	ruby
	php
	opaque // any language that is not read
)

// A tokenKind is the kind of a token.
type tokenKind uint8

const (
	tEnd         tokenKind = iota
	tIdent                 // an identifier or keyword
	tNumber                // text is the number as written, without underscores
	tString                // text is the unescaped string
	tInterp                // a string with interpolation; text is as written
	tRegex                 // a regular expression; text is empty
	tOp                    // an operator, a bracket or a separator
	tPlaceholder           // an unknown part of the code
)

// A token is the piece of code between the offsets start and end.
type token struct {
	text       string
	start, end int32
	kind       tokenKind
	nl         bool // a newline precedes it
}

// placeholder stands for an unknown part of code or of a string.
const placeholder = "\uFFFC"

// A lexer splits code into tokens. It is tolerant and also splits code that no compiler accepts.
type lexer struct {
	src  string
	pos  int
	lang lang
	toks []token
	nl   bool // a newline was read after the last token
}

// tokenize splits src into tokens, in linear time. The last token is of kind tEnd.
func tokenize(src string, l lang) []token {
	x := lexer{src: src, lang: l, toks: make([]token, 0, len(src)/4+8)}
	for x.pos < len(src) {
		x.lexNext()
	}
	x.addToken(tEnd, "", len(src))
	return x.toks
}

// addToken adds a token that begins at the offset start and ends at the current position.
func (x *lexer) addToken(k tokenKind, text string, start int) {
	x.toks = append(x.toks, token{text: text, start: int32(start), end: int32(x.pos), kind: k, nl: x.nl})
	x.nl = false
}

// peekByte returns the byte at the offset off from the current position, or 0 beyond the end.
func (x *lexer) peekByte(off int) byte {
	if x.pos+off < len(x.src) {
		return x.src[x.pos+off]
	}
	return 0
}

// unreadCode returns the code from the current position on.
func (x *lexer) unreadCode() string { return x.src[x.pos:] }

// lexNext reads one token, or skips white space or a comment.
func (x *lexer) lexNext() {
	c := x.src[x.pos]
	switch {
	case c == '\n':
		x.nl = true
		x.pos++
	case c <= ' ':
		x.pos++
	case c == '\\' && (x.peekByte(1) == '\n' || x.peekByte(1) == '\r'):
		x.pos += 2
	case x.skipComment(c) || x.lexQuoted(c):
	case c >= '0' && c <= '9':
		x.lexNumber()
	case strings.HasPrefix(x.unreadCode(), placeholder):
		x.pos += len(placeholder)
		x.addToken(tPlaceholder, "", x.pos-len(placeholder))
	case isLetter(c) || c == '$' && x.lang == javascript:
		x.lexName()
	default:
		x.lexOperator()
	}
}

// skipLine moves the current position to the end of the line.
func (x *lexer) skipLine() {
	if i := strings.IndexByte(x.unreadCode(), '\n'); i >= 0 {
		x.pos += i
	} else {
		x.pos = len(x.src)
	}
}

// skipComment skips a comment at the current position, where the byte is c. It reports whether there
// is one.
func (x *lexer) skipComment(c byte) bool {
	switch {
	case x.lang == javascript && strings.HasPrefix(x.unreadCode(), "/*"):
		if i := strings.Index(x.unreadCode(), "*/"); i >= 0 {
			x.pos += i + 2
		} else {
			x.pos = len(x.src)
		}
	case x.lang == javascript && (strings.HasPrefix(x.unreadCode(), "//") || x.pos == 0 && strings.HasPrefix(x.src, "#!")),
		x.lang != javascript && c == '#':
		x.skipLine()
	default:
		return false
	}
	return true
}

// isLetter reports whether c is an ASCII letter, an underscore or a byte of a multi-byte character.
func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// lexName reads an identifier, or a Python string with a prefix such as rb.
func (x *lexer) lexName() {
	start := x.pos
	for x.pos < len(x.src) && x.isNameByte(x.src[x.pos]) && !strings.HasPrefix(x.unreadCode(), placeholder) {
		x.pos++
	}
	text := x.src[start:x.pos]
	if x.lang == python {
		if x.lexPrefixedString(text, start) {
			return
		}
		if hasLookalikeLetters(text) {
			x.addToken(tPlaceholder, "", start)
			return
		}
	}
	x.addToken(tIdent, text, start)
}

// isNameByte reports whether c may be part of an identifier.
func (x *lexer) isNameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '$' && x.lang == javascript
}

// lexNumber reads a number. The token's text is the number as written, without underscores.
func (x *lexer) lexNumber() {
	start := x.pos
	hex := x.peekByte(0) == '0' && (x.peekByte(1)|0x20 == 'x' || x.peekByte(1)|0x20 == 'o' || x.peekByte(1)|0x20 == 'b')
	if hex {
		x.pos += 2
	}
	for x.pos < len(x.src) {
		c := x.src[x.pos]
		dot := c == '.' && !hex && isDigit(x.peekByte(1))
		if !isDigit(c) && c != '_' && !dot && !(isLetter(c) && c < 0x80) {
			break
		}
		x.pos++
	}
	x.addToken(tNumber, strings.ReplaceAll(x.src[start:x.pos], "_", ""), start)
}

// operators lists the operators with more than one character, longest first.
var operators = [...]string{
	"<<=", ">>=", "**=", "===", "!==", "...", "<=>", "||=", "&&=", "??=", "?->",
	"=>", "->", "::", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^=",
	"||", "&&", "??", "?.", "**", "//", "<<", ">>", "..", ":=", "=~", "!~", "<-", "|>", "|&", "++", "--",
}

// lexOperator reads an operator or a bracket.
func (x *lexer) lexOperator() {
	start := x.pos
	rest := x.unreadCode()
	if strings.IndexByte("=>.:&|?*/<+-~", x.peekByte(1)) < 0 {
		x.pos++
		x.addToken(tOp, rest[:1], start)
		return
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			if op == "?." && isDigit(x.peekByte(2)) {
				continue
			}
			if op == "++" || op == "--" { // an increment has no effects
				x.pos += 2
				return
			}
			if op == "..." && x.lang == javascript || op == "**" && x.lang == python && !x.followsValue() {
				x.pos += len(op) // a spread operator; the list stands for its items
				return
			}
			x.pos += len(op)
			x.addToken(tOp, op, start)
			return
		}
	}
	x.pos++
	x.addToken(tOp, x.src[start:x.pos], start)
}

// followsValue reports whether the last token ends a value, so that a slash or ** after it is an
// operator and does not begin an operand.
func (x *lexer) followsValue() bool {
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

// hasLookalikeLetters reports whether name contains Unicode letters that Python normalizes to ASCII.
// For example, it reads ｏｓ as os.
func hasLookalikeLetters(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r >= 0xFF01 && r <= 0xFF5E || r >= 0x1D400 && r <= 0x1D7FF })
}
