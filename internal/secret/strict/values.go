package strict

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret"
)

// A valueSpan is where a value is, without its quotes.
type valueSpan struct {
	from, to int
	quoted   bool
}

// openingQuote returns where a quote opens at i, behind a letter (f"…") or
// backslashes, of which it returns the number; or -1.
func openingQuote(s string, i int) (at, slashes int) {
	if i+1 < len(s) && byteKinds[s[i+1]] == quoteKind {
		switch s[i] | 0x20 {
		case 'b', 'f', 'r', 'u':
			i++
		}
	}
	for i < len(s) && s[i] == '\\' && slashes < 32 {
		i++
		slashes++
	}
	if i == len(s) || byteKinds[s[i]] != quoteKind {
		return -1, 0
	}
	return i, slashes
}

func opensQuote(s string, i int) bool {
	at, _ := openingQuote(s, i)
	return at >= 0
}

// value finds the end of the value that starts at i.
func (p *scanner) value(i int) valueSpan {
	s := p.s
	if q, slashes := openingQuote(s, i); q >= 0 {
		return p.quotedValue(q+1, slashes)
	}
	return valueSpan{i, bareEnd(s, i), false}
}

// quotedValue finds the end of the value whose opening quote is before from,
// with so many backslashes before it. Without an end nearby it ends with its
// line.
func (p *scanner) quotedValue(from, slashes int) valueSpan {
	s := p.s
	q := s[from-1]
	if from+1 < len(s) && s[from] == q && s[from+1] == q {
		from += 2
		if n := strings.Index(s[from:], s[from-3:from]); n >= 0 {
			return valueSpan{from, from + n, true}
		}
		return valueSpan{from, endOfLine(s, from), true}
	}
	to, _ := closing(s, from, q, slashes, 512)
	return valueSpan{from, to, true}
}

// closing returns the end of a value that starts at i, after a quote with so
// many backslashes before it: where the closing quote starts, with as many, or
// the end of the line when there is none so far, nor within reach behind it. In
// a text that was quoted n times, a quote within the value has at least twice
// as many backslashes, and one more.
func closing(s string, i int, q byte, slashes, reach int) (int, bool) {
	line, limit := len(s), len(s)
	run := 0 // of backslashes
	for j := i; j < limit; j++ {
		switch c := s[j]; {
		case c == '\\':
			run++
			continue
		case c == q && run%(2*(slashes+1)) == slashes:
			return j - slashes, true
		case (c == '\n' || c == '\r') && line == len(s):
			line, limit = j, min(len(s), j+reach)
		}
		run = 0
	}
	return line, false
}

// bareEnd returns the end of the value without quotes that starts at i.
func bareEnd(s string, i int) int {
	to := i
	for ; to < len(s); to++ {
		c := s[to]
		if k := byteKinds[c]; k&inRun != 0 {
			continue
		} else if k == spaceKind || c < ' ' {
			break
		} else if k == quoteKind && (to == i || to+1 == len(s) || byteKinds[s[to+1]]&alnumKind == 0) {
			break // else the shell goes on: ab"cd"ef
		}
		if c == '\\' && to+1 < len(s) {
			if isEscapeLetter(s[to+1]) || byteKinds[s[to+1]] == quoteKind {
				break
			}
			if byteKinds[s[to+1]] != spaceKind {
				to++
			}
		}
		if (c == '&' || c == ';' || c == ',') && beginsMember(s, to+1) || c == '<' && strings.HasPrefix(s[to:], "</") {
			break
		}
	}
	for to > i && strings.IndexByte(",;)}]", s[to-1]) >= 0 && !secret.EndsMarked(s[i:to]) {
		to--
	}
	return to
}

// beginsMember reports whether another name with its value starts at i, or
// another command.
func beginsMember(s string, i int) bool {
	i = skipBlanks(s, i)
	if i == len(s) || s[i] == '&' {
		return true
	}
	if byteKinds[s[i]] == quoteKind {
		i++
	}
	from := i
	for i < len(s) && i-from < 40 && (byteKinds[s[i]]&alnumKind != 0 || s[i] == '_' || s[i] == '-' || s[i] == '.') {
		i++
	}
	if i < len(s) && byteKinds[s[i]] == quoteKind {
		i++
	}
	return i > from && i < len(s) && (s[i] == '=' || s[i] == ':')
}

// line finds a value that takes the rest of its line: to the quote that opened
// before its name, if there is one. The name may be the end of what is quoted.
func (p *scanner) line(n strictName, i int) valueSpan {
	s := p.s
	at := n.from - 1
	if at < 0 || byteKinds[s[at]] != quoteKind {
		for at = n.to; at < i && s[at] == '\\'; at++ {
		}
	}
	if at < i && byteKinds[s[at]] == quoteKind {
		slashes := 0
		for slashes < 32 && at-1-slashes >= 0 && s[at-1-slashes] == '\\' {
			slashes++
		}
		if end, ok := closing(s, i, s[at], slashes, 0); ok {
			return valueSpan{i, end, false}
		}
	}
	to := endOfLine(s, i)
	for j := i; j+1 < to; j++ {
		if s[j] == '\\' && (s[j+1] == 'n' || s[j+1] == 'r') {
			to = j
		}
	}
	for to > i && byteKinds[s[to-1]] == spaceKind {
		to--
	}
	return valueSpan{i, to, false}
}

// below finds a value that starts on the line after its name. It cuts a block
// of YAML itself, and reports false then and when there is no such value.
func (p *scanner) below(n strictName, i int) (int, bool) {
	s := p.s
	at := i
	if s[at] == '|' || s[at] == '>' {
		for at++; at < len(s) && (s[at] == '-' || s[at] == '+'); at++ {
		}
		if at < len(s) && s[at] == '\n' {
			p.block(n, at)
		}
		return 0, false
	}
	if s[at] == '\\' && at+1 < len(s) && s[at+1] == '\n' {
		at++
	}
	if s[at] != '\n' && s[at] != '\r' {
		return 0, false
	}
	for at < len(s) && byteKinds[s[at]] == spaceKind && at-i < 80 {
		at++
	}
	if at == len(s) || byteKinds[s[at]] == quoteKind {
		return at, at < len(s)
	}
	// One word alone is a value, unless it is a name or an element of a list.
	end := endOfLine(s, at)
	if end-at > 256 || strings.ContainsAny(s[at:end], " \t:={}#-<") {
		return 0, false
	}
	return at, true
}

// block cuts the lines behind the line break at i that are indented more than
// the line of the name.
func (p *scanner) block(n strictName, i int) {
	s := p.s
	start := n.from
	for start > 0 && n.from-start < 256 && s[start-1] != '\n' {
		start--
	}
	indent := skipBlanks(s, start) - start
	from, to := 0, 0
	for i < len(s) {
		at := skipBlanks(s, i+1)
		end := endOfLine(s, at)
		if end > at {
			if at-i-1 <= indent {
				break
			}
			if from == 0 {
				from = at
			}
			to = end
		}
		i = end
		if i < len(s) && s[i] == '\r' {
			i++
		}
	}
	p.cut(from, to)
}

// standsForValue reports whether a value is none itself: a word of a language, or
// the place of a value: $NAME, ${name}, $(command), {{name}}, <name>, %s, ***.
func standsForValue(v string) bool {
	switch v {
	case "", secret.Marker, "{", "[", "(", "[]", "{}", "[{", "({", "|", "|-", "|+", ">", ">-", ">+":
		return true
	}
	if len(v) > 256 {
		return false
	}
	switch v[0] {
	case '$':
		return isShellVariable(v[1:])
	case '{':
		return strings.HasPrefix(v, "{{")
	case '<':
		return v[len(v)-1] == '>'
	case '%':
		return len(v) <= 3 && byteKinds[v[len(v)-1]]&letterKind != 0
	case '*', '.', 'x', 'X':
		return len(v) > 2 && strings.Trim(v, v[:1]) == ""
	case 'B', 'b':
		if foldPrefix(v, "bearer ") || foldPrefix(v, "basic ") {
			_, token, _ := strings.Cut(v, " ")
			return standsForValue(token)
		}
	}
	switch v {
	case "true", "false", "null", "nil", "none", "None", "True", "False", "undefined", "string", "str", "bytes",
		"bool", "int", "String", "any", "number", "[]byte", "boolean":
		return true
	}
	return false
}

// isShellVariable reports whether what follows a $ is the name of a variable or a
// command.
func isShellVariable(v string) bool {
	if v == "" {
		return false
	}
	if v[0] == '(' || v[0] == '{' {
		return true
	}
	for i := range len(v) {
		if byteKinds[v[i]]&(upperKind|digitKind) == 0 && v[i] != '_' {
			return false
		}
	}
	return true
}

func isNumber(v string) bool {
	for i := range len(v) {
		if byteKinds[v[i]] != digitKind && v[i] != '.' && v[i] != '-' {
			return false
		}
	}
	return true
}
