package code

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted takes a string, a pattern or a here-document that begins with c.
func (x *lexer) quoted(c byte) bool {
	start := x.pos
	switch c {
	case '"', '\'':
		x.text(c, start)
		return true
	case '`':
		return x.backtick(start)
	case '/':
		if x.lang != python && !x.followsValue() {
			x.pos++
			x.pattern()
			x.addToken(tRegex, "", start)
			return true
		}
	}
	return false
}

// text takes a string between quotes, or between three of them.
func (x *lexer) text(q byte, start int) {
	three := x.byteAt(1) == q && x.byteAt(2) == q && x.lang == python
	if three {
		x.pos += 3
		x.addToken(tString, unescape(x.body(strings.Repeat(string(q), 3)), x.lang), start)
		return
	}
	x.pos++
	x.addToken(tString, unescape(x.body(string(q)), x.lang), start)
}

// pattern goes behind the sign that ends a pattern, and its flags.
func (x *lexer) pattern() {
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

// body returns what stands before the closing stop, and goes behind it. Parts to
// fill in may hold the stop themselves in javascript.
func (x *lexer) body(stop string) string {
	from := x.pos
	nests := stop == "`" && x.lang == javascript
	for x.pos < len(x.src) {
		switch c := x.src[x.pos]; {
		case c == '\\':
			x.pos += 2
		case c == stop[0] && strings.HasPrefix(x.rest(), stop):
			raw := x.src[from:x.pos]
			x.pos += len(stop)
			return raw
		case nests && c == '$' && x.byteAt(1) == '{':
			x.pos++
			x.hole()
		default:
			x.pos++
		}
	}
	x.pos = len(x.src)
	return x.src[min(from, len(x.src)):]
}

// hole goes behind the bracket that closes the one at pos.
func (x *lexer) hole() {
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

// backtick takes what stands between backticks: a template in javascript, else a
// command.
func (x *lexer) backtick(start int) bool {
	x.pos++
	raw := x.body("`")
	switch x.lang {
	case javascript:
		if strings.Contains(raw, "${") {
			x.addToken(tInterp, raw, start)
		} else {
			x.addToken(tString, unescape(raw, x.lang), start)
		}
	case python: // repr in python 2
		x.addToken(tPlaceholder, "", start)
	default:
		x.addToken(tIdent, raw, start)
	}
	return true
}

// prefixed takes a python string that begins with letters, such as rb'…'.
func (x *lexer) prefixed(letters string, start int) bool {
	q := x.byteAt(0)
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
	if x.byteAt(1) == q && x.byteAt(2) == q {
		stop = strings.Repeat(stop, 3)
	}
	x.pos += len(stop)
	text := x.body(stop)
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

// unescape gives what a string with backslashes means.
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
		b, n = escape(b, s[i:], l)
		i += n
	}
	return string(b)
}

// escape adds what the escape at the beginning of s means, and returns its length.
func escape(b []byte, s string, l lang) ([]byte, int) {
	switch c := s[1]; {
	case c == '\n':
		return b, 2
	case strings.IndexByte("'\"`$", c) >= 0:
		return append(b, c), 2
	case strings.IndexByte("xuU01234567abfnrtv\\", c) < 0:
		if l == python { // what it does not know it leaves as it is
			b = append(b, '\\')
		}
		return append(b, c), 2
	}
	r, _, rest, err := strconv.UnquoteChar(s, 0)
	if err != nil { // \u{72} of javascript, \0
		return append(b, placeholder...), 2
	}
	return appendRune(b, r), len(s) - len(rest)
}

func appendRune(b []byte, r rune) []byte {
	if r < 0 || r > utf8.MaxRune || r == 0 {
		return b
	}
	return utf8.AppendRune(b, r)
}
