package code

import (
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
		if (x.lang == javascript || x.lang == perl || x.lang == ruby || x.lang == awk) && !x.valueBefore() {
			x.pos++
			x.pattern('/')
			x.addRegex(start)
			return true
		}
	case '<':
		return x.angle(start)
	case '~', '%', ':':
		return x.lang == ruby && x.quotedRuby(c, start)
	}
	return false
}

// quotedRuby takes %w(…) and :name of ruby, and ~s"…" of elixir.
func (x *lexer) quotedRuby(c byte, start int) bool {
	next := x.at(1)
	switch c {
	case '~':
		if strings.IndexByte("csCS", next) >= 0 && (x.at(2) == '"' || x.at(2) == '\'') {
			x.pos += 2
			x.text(x.at(0), start)
			return true
		}
	case '%':
		if !x.valueBefore() || x.prevByte() == ' ' && next > ' ' && x.toks[len(x.toks)-1].kind == tIdent {
			return x.percent(start)
		}
	case ':':
		if before := x.prevByte(); !isLetter(next) && next != '"' || before == ':' || x.nameByte(before) {
			return false
		}
		x.pos++
		if next == '"' {
			return x.quoted('"')
		}
		for x.pos < len(x.src) && x.nameByte(x.src[x.pos]) {
			x.pos++
		}
		x.asks()
		x.add(tString, x.src[start+1:x.pos], start)
		return true
	}
	return false
}

// asks steps over the ? or ! at the end of a name of ruby.
func (x *lexer) asks() {
	if (x.at(0) == '?' || x.at(0) == '!') && x.at(1) != '=' {
		x.pos++
	}
}

func (x *lexer) prevByte() byte {
	if x.pos > 0 {
		return x.src[x.pos-1]
	}
	return 0
}

// text takes a string between quotes, or between three of them.
func (x *lexer) text(q byte, start int) {
	three := x.at(1) == q && x.at(2) == q && x.lang == python
	if three {
		x.pos += 3
		raw := x.body(strings.Repeat(string(q), 3))
		x.addText(raw, q, start)
		return
	}
	x.pos++
	x.addText(x.body(string(q)), q, start)
}

// body returns what stands before the closing stop, and goes behind it. Parts to
// fill in may hold the stop themselves in javascript and ruby.
func (x *lexer) body(stop string) string {
	from := x.pos
	nests := stop == "`" && x.lang == javascript || x.lang == ruby && stop != "'"
	for x.pos < len(x.src) {
		switch c := x.src[x.pos]; {
		case c == '\\':
			x.pos += 2
		case c == stop[0] && strings.HasPrefix(x.rest(), stop):
			raw := x.src[from:x.pos]
			x.pos += len(stop)
			return raw
		case nests && (c == '$' && x.lang != ruby || c == '#' && x.lang == ruby) && x.at(1) == '{':
			x.pos++
			x.hole('{', '}', 0)
		default:
			x.pos++
		}
	}
	x.pos = len(x.src)
	return x.src[min(from, len(x.src)):]
}

// maxNest bounds how deep parts to fill in are looked at.
const maxNest = 8

// hole goes behind the bracket that closes the one at pos.
func (x *lexer) hole(open, close byte, depth int) {
	level := 0
	for x.pos < len(x.src) {
		switch c := x.src[x.pos]; {
		case c == '\\':
			x.pos++
		case c == open:
			level++
		case c == close:
			if level--; level <= 0 {
				x.pos++
				return
			}
		case c == '"' || c == '\'':
			x.pos++
			for x.pos < len(x.src) && x.src[x.pos] != c && x.src[x.pos] != '\n' {
				if x.src[x.pos] == '\\' {
					x.pos++
				}
				x.pos++
			}
		case c == '`' && depth < maxNest && x.lang == javascript:
			x.pos++
			for x.pos < len(x.src) && x.src[x.pos] != '`' {
				if x.src[x.pos] == '$' && x.at(1) == '{' {
					x.pos++
					x.hole('{', '}', depth+1)
					continue
				}
				if x.src[x.pos] == '\\' {
					x.pos++
				}
				x.pos++
			}
		}
		x.pos++
	}
	x.pos = len(x.src)
}

// fills reports whether a string in these quotes has parts to fill in.
func (x *lexer) fills(raw string, q byte) bool {
	if q == '\'' {
		return false
	}
	switch x.lang {
	case perl:
		return strings.ContainsAny(raw, "$@")
	case php:
		return strings.Contains(raw, "$")
	case ruby:
		return strings.Contains(raw, "#")
	}
	return false
}

// addText adds a string whose body is raw.
func (x *lexer) addText(raw string, q byte, start int) {
	switch {
	case x.fills(raw, q):
		x.add(tInterp, raw, start)
	case q == '\'' && (x.lang == perl || x.lang == ruby || x.lang == php):
		x.add(tString, unescapeQuote(raw), start)
	default:
		x.add(tString, unescape(raw, x.lang), start)
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
			x.add(tInterp, raw, start)
		} else {
			x.add(tString, unescape(raw, x.lang), start)
		}
	case perl, ruby, php:
		x.add(tShell, raw, start)
	case python: // repr in python 2
		x.add(tHole, "", start)
	default:
		x.add(tIdent, raw, start)
	}
	return true
}

// prefixed takes a python string that begins with letters, such as rb'…'.
func (x *lexer) prefixed(letters string, start int) bool {
	q := x.at(0)
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
	if x.at(1) == q && x.at(2) == q {
		stop = strings.Repeat(stop, 3)
	}
	x.pos += len(stop)
	text := x.body(stop)
	switch {
	case fill && strings.ContainsAny(text, "{}"):
		x.add(tInterp, text, start)
	case raw:
		x.add(tString, text, start)
	default:
		x.add(tString, unescape(text, x.lang), start)
	}
	return true
}

// unescapeQuote takes the backslashes off that single quotes know.
func unescapeQuote(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '\'') {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
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
	switch c := s[1]; c {
	case 'n':
		return append(b, '\n'), 2
	case 't':
		return append(b, '\t'), 2
	case 'r':
		return append(b, '\r'), 2
	case '\n':
		return b, 2
	case 'e':
		if l == perl || l == ruby || l == php {
			return append(b, 0x1b), 2
		}
	case 'x', 'u', 'U':
		return escapeHex(b, s, c)
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		base, n, most := rune(8), rune(0), 4
		i := 1
		for ; i < len(s) && i < most && s[i] >= '0' && rune(s[i]-'0') < base; i++ {
			n = n*base + rune(s[i]-'0')
		}
		if i == 1 {
			return append(b, c), 2
		}
		return appendRune(b, n), i
	case '\\', '\'', '"', '`', '$':
		return append(b, c), 2
	}
	if l == python || l == php {
		b = append(b, '\\') // what they do not know they leave as it is
	}
	return append(b, s[1]), 2
}

func escapeHex(b []byte, s string, c byte) ([]byte, int) {
	most := 4
	switch c {
	case 'x':
		most = 2
	case 'U':
		most = 8
	}
	i, n := 2, rune(0)
	braced := i < len(s) && s[i] == '{'
	if braced {
		i, most = i+1, 8
	}
	from := i
	for ; i < len(s) && i-from < most; i++ {
		d := hexDigit(s[i])
		if d < 0 {
			break
		}
		n = n<<4 | rune(d)
	}
	if i == from {
		return append(b, c), 2
	}
	if braced && i < len(s) && s[i] == '}' {
		i++
	}
	return appendRune(b, n), i
}

func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func appendRune(b []byte, r rune) []byte {
	if r < 0 || r > utf8.MaxRune || r == 0 {
		return b
	}
	return utf8.AppendRune(b, r)
}
