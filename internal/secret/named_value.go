package secret

import "github.com/checkrein/checkrein/internal/secret/lex"

// Reading of "name operator value", the way most secrets are written down:
// TOKEN=x, "token": "x", token := `x`, <token>x</token>, env["TOKEN"] = "x",
// setenv("TOKEN", "x"), - name: TOKEN value: x.

const (
	nameReach = 64 // the longest name, and what may stand between it and the operator
	tailReach = 24 // of the second
)

// value is a value and how it is named.
type value struct {
	nameFrom, nameTo int
	anchorTo         int // where the anchor in the name ends
	from, to         int
	op               byte // '=', ':', ',', '>', '(', a blank or, in a table, a tab
	quote            byte // the one before the value, or 0
	tight            bool // nothing is between name, operator and value
	bare             bool // the name is only the word pass
	data             bool // the value is that of a JSON text, no code
	last             bool // nothing follows the value on its line
	line             bool // the name starts its line, but for words like export
}

func readValue(s string, start, end int) (v value, ok bool) {
	v.anchorTo = end
	v.nameTo = lex.Skip(s, end, min(len(s), end+nameReach), lex.IsName)
	v.nameFrom = lex.Back(s, start, max(0, start-nameReach), lex.IsName)
	if v.nameTo < len(s) && s[v.nameTo] == '=' && inDigest(s, start, end) { // which the = ends
		return v, false
	}
	at, ok := v.operator(s, start, v.nameTo)
	if !ok {
		from, to := lex.WordAround(s[v.nameFrom:v.nameTo], start-v.nameFrom, end-v.nameFrom)
		v.bare = s[v.nameFrom] != '-' && to-from == len("pass") && lex.HasFold(s[v.nameFrom+from:], "pass")
		return v, v.flag(s, start) || v.says(s, start) || v.set(s, start)
	}
	v.bare = v.nameTo-v.nameFrom == len("pass")
	return v, v.opened(s, at)
}

// isTail holds for what may follow the name: the words of a type or a comment.
func isTail(c byte) bool { return lex.IsLetter(c) || lex.IsBlank(c) || c == '_' || c == '.' }

// flag reads --token x, where a blank is the operator. The value must not be a
// flag itself.
func (v *value) flag(s string, start int) bool {
	v.from = v.nameTo + 1
	if v.from >= len(s) || !lex.IsBlank(s[v.nameTo]) || !lex.IsToken(s[v.from]) && !lex.IsQuote(s[v.from]) || s[v.from] == '-' {
		return false
	}
	v.nameFrom = lex.Back(s, start, max(0, start-nameReach), lex.IsName)
	if s[v.nameFrom] != '-' || s[v.nameFrom+1] != '-' && !isLastFlag(s[v.nameFrom+1:v.nameTo]) || v.nameFrom > 0 && lex.IsToken(s[v.nameFrom-1]) {
		return false
	}
	v.op, v.tight = ' ', true
	if lex.IsQuote(s[v.from]) {
		v.quote = s[v.from]
		v.from++
	}
	v.to = v.end(s, v.from)
	return v.to > v.from
}

// isLastFlag reports whether the name of a flag with one hyphen, as PowerShell
// has them, ends in a word for a password.
func isLastFlag(name string) bool {
	return lex.EndsInFold(name, "password") || lex.EndsInFold(name, "passphrase") || lex.EndsInFold(name, "passwd")
}

// says reads the password is x, and set `TOKEN` to `x`.
func (v *value) says(s string, start int) bool {
	const is = " is " // or to, or as
	at := lex.Skip(s, v.nameTo, min(len(s), v.nameTo+3), func(c byte) bool { return lex.IsQuote(c) || c == '*' })
	v.from = at + len(is)
	if v.from >= len(s) || s[at] != ' ' || !lex.HasFold(s[at:], is) && !lex.HasFold(s[at:], " to ") && !lex.HasFold(s[at:], " as ") {
		return false
	}
	v.nameFrom = lex.Back(s, start, max(0, start-nameReach), lex.IsName)
	for v.from < len(s) && (lex.IsQuote(s[v.from]) || s[v.from] == ':' || lex.IsBlank(s[v.from])) {
		if lex.IsQuote(s[v.from]) {
			v.quote = s[v.from]
		}
		v.from++
	}
	v.op = ' '
	v.to = v.end(s, v.from)
	return v.to > v.from
}

// opened finds the value behind the operator that ends at i.
func (v *value) opened(s string, i int) bool {
	if v.op == '=' && i == v.nameTo+1 && v.nameFrom > 0 && i < len(s) && lex.IsQuote(s[i]) && s[i] == s[v.nameFrom-1] {
		return false // "TOKEN="+x
	}
	if !v.bounds(s, i) {
		return false
	}
	v.line = isLineStart(s, v.nameFrom)
	if v.quote == 0 {
		if v.line {
			v.toLineEnd(s)
		} else if v.op == '=' && v.nameFrom > 0 && lex.IsQuote(s[v.nameFrom-1]) {
			v.toQuote(s, s[v.nameFrom-1])
		}
	}
	v.last = v.to >= len(s) || lex.IsLineEnd(s[v.to]) || v.quote == 0 && closesText(s, v.to)
	v.tight = v.nameTo+1 == v.from || v.op == '\t'
	return v.to > v.from
}

// bounds finds where the value starts and ends, behind the operator that ends at i.
func (v *value) bounds(s string, i int) bool {
	at := i
	if i = v.start(s, i); i >= len(s) {
		i = v.below(s, at)
	} else {
		i = v.within(s, i)
	}
	if i >= len(s) {
		return false
	}
	v.from, v.to = i, v.end(s, i)
	if at, ok := v.typed(s, i); ok {
		v.op, v.quote = '=', 0
		if v.from = v.start(s, at); v.from >= len(s) {
			return false
		}
		v.to = v.end(s, v.from)
	}
	return true
}

// closesText reports whether the quote at i closes a text that ends its line.
func closesText(s string, i int) bool {
	if !lex.IsQuote(s[i]) {
		return false
	}
	i = lex.Skip(s, i+1, min(len(s), i+5), func(c byte) bool {
		return lex.IsQuote(c) || c == ',' || c == ')' || c == '}' || c == ']' || c == ';' || lex.IsBlank(c) || c == '\r'
	})
	return i >= len(s) || s[i] == '\n'
}

// start steps over what may stand between operator and value.
func (v *value) start(s string, i int) int {
	lines := 0
	for end := min(len(s), i+40); i < end; {
		n := v.opening(s, i, end)
		if n == 0 {
			if lines > 0 && v.quote == 0 && (v.op != '>' || lines > 1) {
				return len(s) // an empty value, and then another line
			}
			return i
		}
		if s[i] == '\n' {
			lines++
		}
		i += n
	}
	return i
}

// opening returns how many bytes at i open a value and are no part of it: blanks,
// a quote, and what a notation has instead of one.
func (v *value) opening(s string, i, end int) int {
	c := s[i]
	switch {
	case lex.IsQuote(c):
		v.quote = c
		return 1
	case lex.IsSpace(c) || c == '\\' || c == '(' && v.op == '(':
		return 1
	case v.quote != 0:
		return 0
	case c >= 0x80:
		n := lex.WideQuote(s, i)
		if n > 0 {
			v.quote = c
		}
		return n
	}
	if i+1 >= end {
		return v.block(s, i, end)
	}
	switch next := s[i+1]; {
	case c == '=':
		return lex.OneIf(lex.IsSpace(next) || lex.IsQuote(next) || next == '=')
	case c == '*':
		return v.stars(s, i, end)
	case lex.IsLetter(c) || c == '@': // b"x"
		return lex.OneIf(lex.IsQuote(next) && !lex.IsWord(s[i-1]))
	}
	return v.block(s, i, end)
}

// block returns the length of the sign at i, if it is | or >, which open a block of
// YAML.
func (v *value) block(s string, i, end int) int {
	if v.op != ':' || s[i] != '|' && s[i] != '>' {
		return 0
	}
	v.quote = s[i]
	return lex.Skip(s, i+1, end, func(c byte) bool { return c == '-' || c == '+' }) - i
}

// stars returns the length of the two at i of **Password:** x or password: **x**.
func (v *value) stars(s string, i, end int) int {
	if i+2 >= end || s[i+1] != '*' {
		return 0
	}
	if s[i+2] != ' ' && s[i+2] != '*' {
		v.quote = '*'
	}
	return 2
}

// end returns where the value ends that starts at i.
func (v *value) end(s string, i int) int {
	most := min(len(s), i+lex.MaxValue)
	switch v.quote {
	case '%':
		return escapedEnd(s, i)
	case '<', '}', '*':
		return quotedEnd(s, i, most, v.quote)
	case '"', '\'', '`':
		k := quotedEnd(s, i, most, v.quote)
		if k < most && s[k] == v.quote && i >= 2 && s[i-2] == '\\' {
			k = lex.Back(s, k, i, func(c byte) bool { return c == '\\' })
		}
		return k
	}
	for k := i; k < most; k++ {
		if v.endsAt(s, k, most) {
			return k
		}
	}
	return most
}

// quotedEnd returns where the text ends that starts at i: at the quote or with the
// line.
func quotedEnd(s string, i, most int, quote byte) int {
	for i < most && s[i] != quote && !lex.IsLineEnd(s[i]) {
		i++
	}
	return i
}

// endsAt reports whether a value without quotes ends at i.
func (v *value) endsAt(s string, i, most int) bool {
	switch c := s[i]; c {
	case ';', ',', '<', '>', ')', ']', '}':
		return true
	case '\\':
		return i+1 < most && (s[i+1] == 'n' || s[i+1] == 'r' || s[i+1] == 't' || lex.IsQuote(s[i+1]))
	case '&':
		return v.op == '=' && startsSetting(s, i+1)
	case '|':
		return v.op == '\t'
	default:
		return lex.IsSpace(c) || lex.IsQuote(c) || c >= 0x80 && v.quote >= 0x80
	}
}

// startsSetting reports whether another setting starts at i, behind the & that
// ends a value, or nothing more of the value.
func startsSetting(s string, i int) bool {
	to := lex.Skip(s, i, min(len(s), i+nameReach), lex.IsName)
	return to >= len(s) || s[to] == '=' || s[to] == '&' || lex.HasFold(s[i:], "amp;") || to == i && !lex.IsToken(s[i])
}

// typed reports whether what starts at i is the type of the name and not yet
// its value, as in token: str = "x", and where the operator behind it ends.
func (v *value) typed(s string, i int) (int, bool) {
	if v.op != ':' || v.quote != 0 {
		return 0, false
	}
	k := lex.Skip(s, i, min(len(s), i+24), isType)
	k = lex.Skip(s, k, min(len(s), k+4), lex.IsBlank)
	if k == i || k+1 >= len(s) || s[k] != '=' || !lex.IsSpace(s[k+1]) && !lex.IsQuote(s[k+1]) {
		return 0, false
	}
	return k + 1, lex.IsSpace(s[k-1])
}

func isType(c byte) bool {
	return lex.IsWord(c) || c == '<' || c == '>' || c == '[' || c == ']' || c == '&' || c == '\'' || c == '?' || c == '.' || c == '*'
}

// place returns where the value is.
func (v *value) place(level strength) (p place) {
	for _, so := range [...]struct {
		is bool
		p  place
	}{
		{level == pass, ofPassword}, {v.bare, bare}, {v.op == '=', equals}, {v.op == ':', colon}, {v.op == ' ', blank}, {v.op == ',' || v.op == '(', listed}, {v.op == '>', angle},
		{lex.IsQuote(v.quote), quoted}, {v.quote != 0, enclosed}, {v.tight, tight}, {v.tight || v.quote != 0, held}, {!v.tight && v.quote == 0 && v.op != ':', mayBeCode},
		{v.line, ownLine}, {lex.IsQuote(v.quote) || v.line && v.tight, literal}, {v.last, last}, {v.data, jsonText},
	} {
		if so.is {
			p |= so.p
		}
	}
	return p
}
