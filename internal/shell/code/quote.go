package code

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// lexQuoted reads a string, a template or a regular expression at the current position, where the byte
// is c. It returns false if there is none.
func (x *lexer) lexQuoted(c byte) bool {
	start := x.pos
	switch c {
	case '"', '\'':
		x.lexString(c, start)
		return true
	case '`':
		return x.lexBacktick(start)
	case '/':
		if x.lang != python && !x.followsValue() {
			x.pos++
			x.skipRegex()
			x.addToken(tRegex, "", start)
			return true
		}
	}
	return false
}

// lexString reads a string delimited by the quote q, or in Python possibly by three of them. The
// string begins at start.
func (x *lexer) lexString(q byte, start int) {
	three := x.peekByte(1) == q && x.peekByte(2) == q && x.lang == python
	if three {
		x.pos += 3
		x.addToken(tString, unescape(x.readUntil(strings.Repeat(string(q), 3)), x.lang), start)
		return
	}
	x.pos++
	x.addToken(tString, unescape(x.readUntil(string(q)), x.lang), start)
}

// skipRegex moves the current position past the end of a regular expression and its flags.
func (x *lexer) skipRegex() {
	class := false
	for ; x.pos < len(x.src) && x.src[x.pos] != '\n'; x.pos++ {
		switch c := x.src[x.pos]; {
		case c == '\\':
			x.pos++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && (!class || x.lang != javascript):
			x.pos++
			for x.lang != awk && x.pos < len(x.src) && isLetter(x.src[x.pos]) && x.src[x.pos] < 0x80 {
				x.pos++
			}
			return
		}
	}
	x.pos = min(x.pos, len(x.src))
}

// readUntil returns the raw text before the delimiter stop, and moves past it. It skips escaped
// delimiters, and those in interpolated parts of a JavaScript template. Without a delimiter, it
// returns the rest of the code.
func (x *lexer) readUntil(stop string) string {
	from := x.pos
	nests := stop == "`" && x.lang == javascript
	for x.pos < len(x.src) {
		switch c := x.src[x.pos]; {
		case c == '\\':
			x.pos += 2
		case c == stop[0] && strings.HasPrefix(x.unreadCode(), stop):
			raw := x.src[from:x.pos]
			x.pos += len(stop)
			return raw
		case nests && c == '$' && x.peekByte(1) == '{':
			x.pos++
			x.skipBraces()
		default:
			x.pos++
		}
	}
	x.pos = len(x.src)
	return x.src[min(from, len(x.src)):]
}

// skipBraces moves past the brace that closes the one at the current position.
func (x *lexer) skipBraces() {
	level := 0
	for ; x.pos < len(x.src); x.pos++ {
		switch x.src[x.pos] {
		case '{':
			level++
		case '}':
			if level--; level == 0 {
				x.pos++
				return
			}
		}
	}
}

// lexBacktick reads the text between backticks, which is a template in JavaScript. It always returns
// true.
func (x *lexer) lexBacktick(start int) bool {
	x.pos++
	raw := x.readUntil("`")
	switch x.lang {
	case javascript:
		if strings.Contains(raw, "${") {
			x.addToken(tInterp, raw, start)
		} else {
			x.addToken(tString, unescape(raw, x.lang), start)
		}
	case python: // in Python 2, `x` is repr(x)
		x.addToken(tPlaceholder, "", start)
	default:
		x.addToken(tIdent, raw, start)
	}
	return true
}

// lexPrefixedString reads a Python string after the prefix letters, such as rb in rb'…'. Start is the
// offset of the prefix. It returns false if no string follows or letters is no prefix.
func (x *lexer) lexPrefixedString(letters string, start int) bool {
	q := x.peekByte(0)
	if len(letters) > 2 || q != '"' && q != '\'' {
		return false
	}
	raw, fill := false, false
	for i := 0; i < len(letters); i++ {
		switch letters[i] | 0x20 {
		case 'r':
			raw = true
		case 'f', 't':
			fill = true
		case 'b', 'u':
		default:
			return false
		}
	}
	stop := string(q)
	if x.peekByte(1) == q && x.peekByte(2) == q {
		stop = strings.Repeat(stop, 3)
	}
	x.pos += len(stop)
	text := x.readUntil(stop)
	switch {
	case fill && strings.ContainsAny(text, "{}"):
		x.addToken(tInterp, text, start)
	case raw:
		x.addToken(tString, text, start)
	default:
		x.addToken(tString, unescape(text, x.lang), start)
	}
	return true
}

// unescape returns s with its backslash escapes replaced, following the rules of l. An escape that is
// not supported becomes a placeholder.
func unescape(s string, l lang) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			b = append(b, s[i])
			i++
			continue
		}
		var n int
		b, n = appendUnescaped(b, s[i:], l)
		i += n
	}
	return string(b)
}

// appendUnescaped appends the character that the escape at the start of s stands for to b. It also
// returns the length of the escape.
func appendUnescaped(b []byte, s string, l lang) ([]byte, int) {
	switch c := s[1]; {
	case c == '\n':
		return b, 2
	case strings.IndexByte("'\"`$", c) >= 0:
		return append(b, c), 2
	case strings.IndexByte("xuU01234567abfnrtv\\", c) < 0:
		if l == python { // Python keeps unknown escapes
			b = append(b, '\\')
		}
		return append(b, c), 2
	}
	r, _, rest, err := strconv.UnquoteChar(s, 0)
	if err != nil { // \0, or \u{72} in JavaScript
		return append(b, placeholder...), 2
	}
	return appendValidRune(b, r), len(s) - len(rest)
}

// appendValidRune appends r to b, unless r is invalid or 0.
func appendValidRune(b []byte, r rune) []byte {
	if r < 0 || r > utf8.MaxRune || r == 0 {
		return b
	}
	return utf8.AppendRune(b, r)
}
