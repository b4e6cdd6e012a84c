package trust

import (
	"bytes"
	"strings"
)

// unknown is how a word spells what only the shell can know.
const unknown = "${_}"

// word reads a word. It moves on by at least a byte unless it stands at a
// break or the end.
func (l *lexer) word() word {
	var x word
	start, braces := len(l.buf), false
	for l.i < len(l.text) && !isBreak(l.text[l.i]) {
		switch c := l.text[l.i]; c {
		case '\\':
			l.escaped()
			x.quoted = true
		case '\'':
			x.quoted = true
			l.i++
			l.literal(strings.IndexByte(l.text[l.i:], '\''))
		case '"':
			x.quoted = true
			l.i++
			l.double(&x, start)
		case '$':
			l.dollar(&x, start, false)
		case '`':
			l.backquote(&x, start)
		case '~':
			l.tilde(&x, start)
		default:
			braces = braces || c == '{'
			x.dynamic = x.dynamic || isPattern(c) || c == ',' && braces
			l.buf = append(l.buf, c)
			l.i++
		}
	}
	x.text = string(l.buf[start:])
	l.buf = l.buf[:start]
	if x.text == "[" || x.text == "[[" {
		x.dynamic = false
	}
	return x
}

func isPattern(c byte) bool { return c == '*' || c == '?' || c == '[' }

// escaped reads a backslash outside of quotes and what it escapes.
func (l *lexer) escaped() {
	switch {
	case l.i+1 == len(l.text):
		l.buf = append(l.buf, '\\')
	case l.text[l.i+1] != '\n':
		l.buf = append(l.buf, l.text[l.i+1])
	}
	l.i = min(l.i+2, len(l.text))
}

// literal reads n bytes and the quote after them, or all that is left when n is
// negative.
func (l *lexer) literal(n int) {
	if n < 0 {
		l.buf = append(l.buf, l.text[l.i:]...)
		l.i = len(l.text)
		return
	}
	l.buf = append(l.buf, l.text[l.i:l.i+n]...)
	l.i += n + 1
}

// double reads the rest of a double-quoted string.
func (l *lexer) double(x *word, start int) {
	for l.i < len(l.text) {
		switch c := l.text[l.i]; c {
		case '"':
			l.i++
			return
		case '\\':
			if next := l.peek(1); next != 0 && strings.IndexByte("$`\"\\\n", next) >= 0 {
				l.escaped()
				continue
			}
			l.buf = append(l.buf, c)
			l.i++
		case '$':
			l.dollar(x, start, true)
		case '`':
			l.backquote(x, start)
		default:
			l.buf = append(l.buf, c)
			l.i++
		}
	}
}

// tilde reads a tilde, which is the home directory at the beginning of a word.
func (l *lexer) tilde(x *word, start int) {
	l.i++
	atEnd := l.i == len(l.text) || l.text[l.i] == '/' || isBreak(l.text[l.i])
	switch {
	case x.quoted || !x.mayLead(l.buf[start:]):
		l.buf = append(l.buf, '~')
	case atEnd:
		l.known(x, start, leadHome, "${HOME}")
	default: // another user's
		x.dynamic = true
		l.buf = append(l.buf, '~')
	}
}

// mayLead reports whether a directory can lead the word whose beginning is
// read: it is the whole beginning, or what NAME=, --option= or -o is set to.
func (x *word) mayLead(read []byte) bool {
	n := len(read)
	return !x.dynamic && x.lead == leadNone &&
		(n == 0 || read[n-1] == '=' && bytes.IndexByte(read, '=') == n-1 || n == 2 && read[0] == '-' && read[1] != '-')
}

// known adds an expansion, spelt so, that stands for a directory if it leads
// the word, and for something unknown else.
func (l *lexer) known(x *word, start int, dir lead, spelling string) {
	leads := dir != leadNone && x.mayLead(l.buf[start:])
	if leads {
		x.lead, x.at = dir, len(l.buf)-start
	}
	l.buf = append(l.buf, spelling...)
	if leads {
		x.rest = len(l.buf) - start
	} else {
		x.dynamic = true
	}
}

// dollar reads an expansion, or a dollar that is none.
func (l *lexer) dollar(x *word, start int, quoted bool) {
	switch next := l.peek(1); {
	case l.startsWith("$(("), next == '[':
		end := closing(l.text, l.i+1, quoted)
		l.walker.text(l.text[l.i+2:end], true)
		l.i = min(end+1, len(l.text))
		l.known(x, start, leadNone, unknown)
	case next == '(':
		l.i += 2
		from := l.i
		l.walker.run(l, true)
		l.output(x, start, l.text[from:l.i])
	case next == '{':
		end := closing(l.text, l.i+1, quoted)
		body := l.text[l.i+2 : end]
		l.i = min(end+1, len(l.text))
		l.parameter(x, start, body)
	case next == '\'' && !quoted:
		l.i += 2
		x.quoted = true
		l.ansi(x)
	case next == '"' && !quoted:
		l.i++
	case isNameByte(next):
		n := 2
		for isNameByte(l.peek(n)) && !isDigit(next) {
			n++
		}
		name := l.text[l.i+1 : l.i+n]
		l.i += n
		l.known(x, start, leadOf(name), "${"+name+"}")
	case next != 0 && strings.IndexByte("@*#?!$-", next) >= 0:
		l.i += 2
		l.known(x, start, leadNone, unknown)
	default:
		l.buf = append(l.buf, '$')
		l.i++
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool {
	return c == '_' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// parameter adds the expansion of what stood between ${ and }.
func (l *lexer) parameter(x *word, start int, body string) {
	n := 0
	for n < len(body) && isNameByte(body[n]) {
		n++
	}
	name, rest := body[:n], body[n:]
	if strings.ContainsAny(rest, "$`") {
		l.walker.text(rest, true) // a default may run commands
	}
	dir := leadOf(name)
	if dir != leadNone && (rest == "" || strings.HasPrefix(rest, ":-") || rest[0] == '-') {
		l.known(x, start, dir, "${"+name+"}")
		return
	}
	l.known(x, start, leadNone, unknown)
}

// output adds what a command, of which the walker has seen all, prints.
func (l *lexer) output(x *word, start int, command string) {
	command = strings.TrimSpace(strings.TrimSuffix(command, ")"))
	switch {
	case command == "pwd":
		l.known(x, start, leadHere, "${PWD}")
	case strings.HasPrefix(command, "git rev-parse --show-toplevel"):
		l.known(x, start, leadTop, "${GIT_PROJECT_DIR}")
	default:
		l.known(x, start, leadNone, unknown)
	}
}

// backquote reads a command between backquotes.
func (l *lexer) backquote(x *word, start int) {
	var body []byte
	for l.i++; l.i < len(l.text) && l.text[l.i] != '`'; l.i++ {
		if next := l.peek(1); l.text[l.i] == '\\' && next != 0 && strings.IndexByte("`$\\", next) >= 0 {
			l.i++
		}
		body = append(body, l.text[l.i])
	}
	l.i = min(l.i+1, len(l.text))
	l.walker.text(string(body), false)
	l.output(x, start, string(body))
}

// ansi reads the rest of a $'…' string. Characters given by number make the
// word unknown: nobody writes a file name like that who wants it to be read.
func (l *lexer) ansi(x *word) {
	for l.i < len(l.text) {
		c := l.text[l.i]
		l.i++
		switch {
		case c == '\'':
			return
		case c != '\\' || l.i == len(l.text):
			l.buf = append(l.buf, c)
		default:
			l.buf = append(l.buf, l.simpleEscape(x))
			l.i++
		}
	}
}

func (l *lexer) simpleEscape(x *word) byte {
	switch c := l.text[l.i]; c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case '\\', '\'', '"', '?':
		return c
	default:
		x.dynamic = true
		return ' '
	}
}

// closing returns where the bracket at i closes, len(s) if nowhere.
func closing(s string, i int, quoted bool) int {
	open, shut := s[i], byte(')')
	switch open {
	case '{':
		shut = '}'
	case '[':
		shut = ']'
	}
	depth, inner := 0, false
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '\'' && !quoted && !inner:
			n := strings.IndexByte(s[i+1:], '\'')
			if n < 0 {
				return len(s)
			}
			i += n + 1
		case c == '"':
			inner = !inner
		case inner:
		case c == open:
			depth++
		case c == shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}
