package decode

import (
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// decodeSpecial decodes the escape, entity or join that starts at i, and returns its length. It
// returns 0 if the character at i stands for itself.
func (p *decoder) decodeSpecial(i int) int {
	s := p.s
	p.soft = p.ways&Shell != 0
	switch c := s[i]; c {
	case '\\':
		return p.decodeBackslash(i)
	case '"', '\'':
		if p.ways&Split != 0 {
			return p.decodeJoin(i)
		}
	case '%':
		if p.ways&Escapes != 0 && i+2 < len(s) && lex.IsHex(s[i+1]) && lex.IsHex(s[i+2]) {
			p.appendByte(hexByte(s[i+1:]), i, i+3)
			return 3
		}
	case '&':
		if p.ways&Escapes != 0 {
			return p.decodeEntity(i)
		}
	default:
		if p.ways&Escapes != 0 {
			return invisibleLen(s[i:])
		}
	}
	return 0
}

// invisibleLen returns the length of the invisible character at the start of s, or 0 if there is none.
// NUL is one, because UTF-16 has a NUL beside each ASCII letter.
func invisibleLen(s string) int {
	if s[0] == 0 {
		return 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if isInvisible(r) {
		return n
	}
	return 0
}

// isInvisible reports whether r is not displayed.
func isInvisible(r rune) bool {
	switch {
	case r == 0, r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0xfeff, r == 0xffa0:
		return true
	case r < 0x180b:
		return false
	}
	return r <= 0x180f || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f ||
		r >= 0xfe00 && r <= 0xfe0f || r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe0fff
}

// appendRune appends r, which s[from:to] encodes, to the decoded text unless r is invisible.
func (p *decoder) appendRune(r rune, from, to int) {
	if isInvisible(r) {
		return
	}
	var buf [utf8.UTFMax]byte
	for _, c := range buf[:utf8.EncodeRune(buf[:], r)] {
		p.appendByte(c, from, to)
	}
}

// decodeBackslash decodes the escape at i, and returns its length, or 0 if the backslash stands for
// itself.
func (p *decoder) decodeBackslash(i int) int {
	s := p.s
	if i+1 == len(s) {
		return 0
	}
	c := s[i+1]
	if p.ways&Escapes != 0 && p.ways&Shell == 0 {
		if r, n := parseNumericEscape(s[i:]); n > 0 {
			p.appendRune(r, i, i+n)
			return n
		}
		switch c {
		case 'n', 't', 'r':
			p.soft = true
			p.appendByte("\n\t\r"[strings.IndexByte("ntr", c)], i, i+2)
			return 2
		case '"', '\'', '\\', '/':
			p.soft = c != '\\' && !quoteJoins(s, i) || c == '\\' && !splitsSecret(s, i) && !startsNumericEscape(s[i+1:])
			p.appendByte(c, i, i+2)
			return 2
		}
	}
	switch {
	case p.ways&(Split|Shell) == 0:
		return 0
	case c == '\n':
		return 2 // a line continuation
	case c == '\r' && i+2 < len(s) && s[i+2] == '\n':
		return 3
	case c <= ' ' || c >= 0x7f || c == '\\':
		return 0
	}
	// In a long word the backslash splits the word; elsewhere it is part of a pattern or a path.
	p.soft = !splitsSecret(s, i)
	return 1
}

// splitsSecret reports whether the backslash at i, written twice in JSON, is in the middle of a word
// that is long enough to be a secret.
func splitsSecret(s string, i int) bool {
	next := i + 1
	if next < len(s) && s[next] == '\\' {
		next++
	}
	if i == 0 || !lex.IsWordByte(s[i-1]) || i > 1 && s[i-2] == '\\' || next+1 >= len(s) || !lex.IsWordByte(s[next]) || !lex.IsWordByte(s[next+1]) {
		return false
	}
	const least = 8
	part := func(c byte) bool { return lex.IsWordByte(c) || c == '-' || c == '\\' }
	return lex.Skip(s, i, min(len(s), i+least), part)-lex.SkipBack(s, i, max(0, i-least), part) > least
}

// quoteJoins reports whether the escaped quote at i and another one join parts of a word in JSON, as
// in gh\"\"p.
func quoteJoins(s string, i int) bool {
	if i == 0 || !isJoinable(s[i-1]) || s[i-1] == ':' {
		return false
	}
	k := lex.Skip(s, i+2, min(len(s), i+maxJoin), func(c byte) bool { return lex.IsSpace(c) || isJoinOperator(c) })
	return k+2 < len(s) && (s[k] == '\\' && lex.IsQuote(s[k+1]) && isJoinable(s[k+2]) && s[k+2] != ':' || k == i+2 && lex.IsWordByte(s[k]) && lex.IsWordByte(s[i-1]))
}

// startsNumericEscape reports whether s starts with an escape that encodes a character by its number.
func startsNumericEscape(s string) bool {
	if len(s) < 2 {
		return false
	}
	_, n := parseNumericEscape(s)
	return n > 0
}

// parseNumericEscape parses \x67, \u0067, \u{67}, \U00000067 or \147 at the start of s, and returns
// the character and the length of the escape. The length is 0 if there is none.
func parseNumericEscape(s string) (r rune, n int) {
	digits := 0
	switch s[1] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '0', '1', '2', '3':
		if len(s) >= 4 && isOctal(s[2]) && isOctal(s[3]) {
			return rune(s[1]-'0')<<6 | rune(s[2]-'0')<<3 | rune(s[3]-'0'), 4
		}
		return 0, 0
	default:
		return 0, 0
	}
	if len(s) > 2 && s[2] == '{' {
		end := lex.Skip(s, 3, min(len(s), 9), lex.IsHex)
		if end == 3 || end == len(s) || s[end] != '}' {
			return 0, 0
		}
		return HexRune([]byte(s[3:end])), end + 1
	}
	if len(s) < 2+digits || lex.Skip(s, 2, 2+digits, lex.IsHex) < 2+digits {
		return 0, 0
	}
	return HexRune([]byte(s[2 : 2+digits])), 2 + digits
}

func isOctal(c byte) bool { return c-'0' < 8 }

// entities lists the names of HTML entities for ASCII characters, each followed by its character.
const entities = " amp& lt< gt> quot\" apos' equals= colon: lowbar_ UnderBar_ hyphen- dash- " +
	"period. comma, semi; commat@ sol/ bsol\\ plus+ excl! num# dollar$ percnt% ast* lpar( rpar) lsqb[ rsqb] lcub{ rcub} Tab\t "

// decodeEntity decodes an HTML entity at i, such as &#103;, &#x67; or &lowbar;, and returns its
// length, or 0 if there is none.
func (p *decoder) decodeEntity(i int) int {
	s := p.s[:min(len(p.s), i+24)]
	k := i + 1
	if k < len(s) && s[k] == '#' {
		r, from := rune(0), k+1
		if from < len(s) && s[from]|0x20 == 'x' {
			from++
			k = lex.Skip(s, from, min(len(s), from+6), lex.IsHex)
			r = HexRune([]byte(s[from:k]))
		} else {
			k = lex.Skip(s, from, min(len(s), from+7), lex.IsDigit)
			for _, c := range []byte(s[from:k]) {
				r = r*10 + rune(c-'0')
			}
		}
		if k == from {
			return 0
		}
		if k < len(s) && s[k] == ';' {
			k++
		}
		p.appendRune(r, i, k)
		return k - i
	}
	k = lex.Skip(s, k, len(s), lex.IsAlnum)
	if k == i+1 || k == len(s) || s[k] != ';' {
		return 0
	}
	name := s[i+1 : k]
	switch name {
	case "shy", "ZeroWidthSpace", "zwnj", "zwj", "lrm", "rlm", "NoBreak":
		return k + 1 - i
	}
	at := strings.Index(entities, " "+name)
	if at < 0 || lex.IsAlnum(entities[at+1+len(name)]) {
		return 0
	}
	p.soft = p.soft || at < strings.Index(entities, " equals")
	p.appendByte(entities[at+1+len(name)], i, k+1)
	return k + 1 - i
}

// decodeJoin skips the quotes and the operator at i that join parts of a word: gh""p, gh'p'x, "gh" +
// "p". It returns their length, or 0 if there are none.
func (p *decoder) decodeJoin(i int) int {
	s := p.s
	if i == 0 || i+1 == len(s) || !isJoinable(s[i-1]) {
		return 0
	}
	if c := s[i+1]; lex.IsWordByte(c) || c == '-' {
		return lex.OneIf(splitsWord(s, i))
	}
	k, op, sure := joinEnd(s, i+1, min(len(s), i+maxJoin))
	switch {
	case k+1 >= len(s) || s[k] != '"' && s[k] != '\'' || !isJoinable(s[k+1]):
		return 0 // no other part
	case k > i+1 && op == 0 || op > 2:
		return 0 // no operator that joins strings
	case op > 0 && (!lex.IsWordByte(s[i-1]) && !lex.IsWordByte(s[k+1]) || !sure && i > 1 && lex.IsQuote(s[i-2])):
		return 0 // a comparison of character literals
	}
	return k + 1 - i
}

// splitsWord reports whether the quote at i splits a word. The quotes of It's and they're do not. A
// quote after an escape such as \w does not either, because it closes a string.
func splitsWord(s string, i int) bool {
	if !lex.IsWordByte(s[i-1]) || i > 1 && s[i-2] == '\\' {
		return false
	}
	return s[i] != '\'' || lex.Skip(s, i+1, min(len(s), i+4), lex.IsLetter) == i+4
}

// joinEnd skips spaces and the characters of an operator that joins strings from i. It returns the
// offset after them, the number of operator characters, and whether no other operator has these
// characters.
func joinEnd(s string, i, end int) (to, signs int, sure bool) {
	for sure = true; i < end && (lex.IsSpace(s[i]) || isJoinOperator(s[i])); i++ {
		if isJoinOperator(s[i]) {
			signs++
			sure = sure && s[i] != '|' && s[i] != '&'
		}
	}
	return i, signs, sure
}

// isJoinOperator reports whether c is part of an operator that joins strings.
func isJoinOperator(c byte) bool { return c == '+' || c == '.' || c == '&' || c == '|' }

// isJoinable reports whether c may be part of a word that quotes split.
func isJoinable(c byte) bool {
	return c > ' ' && c < 0x7f && !lex.IsQuote(c) && c != '(' && c != ')' && c != '[' && c != ']' && c != '{' && c != '}' && c != ',' && c != ';'
}

// HexRune returns the character whose number b holds in hexadecimal digits.
func HexRune(b []byte) rune {
	var r rune
	for _, c := range b {
		d := rune(c&0xf) + 9*rune(c>>6)
		r = r<<4 | d
	}
	return r
}
