package decode

import (
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// decodeSign decodes what the sign at i begins, and returns its length; 0 if the sign stands for
// itself.
func (p *decoder) decodeSign(i int) int {
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
		if p.ways&Coded != 0 && i+2 < len(s) && lex.IsHex(s[i+1]) && lex.IsHex(s[i+2]) {
			p.put(hexByte(s[i+1:]), i, i+3)
			return 3
		}
	case '&':
		if p.ways&Coded != 0 {
			return p.decodeEntity(i)
		}
	default:
		if p.ways&Coded != 0 {
			return invisibleLen(s[i:])
		}
	}
	return 0
}

// invisibleLen returns the length of an invisible character at the start of s: NUL, or one without
// width; 0 if there is none. UTF-16 has a NUL beside each letter.
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

// isInvisible reports whether a character is not displayed.
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

// putRune appends a character that the source has from from to to, unless it is invisible.
func (p *decoder) putRune(r rune, from, to int) {
	if isInvisible(r) {
		return
	}
	var buf [utf8.UTFMax]byte
	for _, c := range buf[:utf8.EncodeRune(buf[:], r)] {
		p.put(c, from, to)
	}
}

// decodeBackslash decodes the escape at i, and returns its length.
func (p *decoder) decodeBackslash(i int) int {
	s := p.s
	if i+1 == len(s) {
		return 0
	}
	c := s[i+1]
	if p.ways&Coded != 0 && p.ways&Shell == 0 {
		if r, n := parseEscape(s[i:]); n > 0 {
			p.putRune(r, i, i+n)
			return n
		}
		switch c {
		case 'n', 't', 'r':
			p.soft = true
			p.put("\n\t\r"[strings.IndexByte("ntr", c)], i, i+2)
			return 2
		case '"', '\'', '\\', '/':
			p.soft = c != '\\' && !quoteJoins(s, i) || c == '\\' && !splitsSecret(s, i) && !startsEscape(s[i+1:])
			p.put(c, i, i+2)
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
	// In a long word it splits the word; elsewhere it is part of a pattern or a path.
	p.soft = !splitsSecret(s, i)
	return 1
}

// splitsSecret reports whether the backslash at i, or two as JSON writes one, is in the middle of a
// possible secret: the word around it has the minimum length of one.
func splitsSecret(s string, i int) bool {
	next := i + 1
	if next < len(s) && s[next] == '\\' {
		next++
	}
	if i == 0 || !lex.IsWord(s[i-1]) || i > 1 && s[i-2] == '\\' || next+1 >= len(s) || !lex.IsWord(s[next]) || !lex.IsWord(s[next+1]) {
		return false
	}
	const least = 8
	part := func(c byte) bool { return lex.IsWord(c) || c == '-' || c == '\\' }
	return lex.Skip(s, i, min(len(s), i+least), part)-lex.SkipBack(s, i, max(0, i-least), part) > least
}

// quoteJoins reports whether the quote after the backslash at i and another one join parts of a word
// in JSON: gh\"\"p.
func quoteJoins(s string, i int) bool {
	if i == 0 || !isJoinable(s[i-1]) || s[i-1] == ':' {
		return false
	}
	k := lex.Skip(s, i+2, min(len(s), i+maxJoin), func(c byte) bool { return lex.IsSpace(c) || isJoinSign(c) })
	return k+2 < len(s) && (s[k] == '\\' && lex.IsQuote(s[k+1]) && isJoinable(s[k+2]) && s[k+2] != ':' || k == i+2 && lex.IsWord(s[k]) && lex.IsWord(s[i-1]))
}

// startsEscape reports whether s starts with an escape that encodes a character by its number.
func startsEscape(s string) bool {
	if len(s) < 2 {
		return false
	}
	_, n := parseEscape(s)
	return n > 0
}

// parseEscape parses \x67, \u0067, \u{67}, \U00000067 and \147 at the start of s. n is 0 if there is
// none.
func parseEscape(s string) (r rune, n int) {
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

// decodeEntity decodes &#103;, &#x67; and &lowbar; at i, and returns their length.
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
		p.putRune(r, i, k)
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
	p.put(entities[at+1+len(name)], i, k+1)
	return k + 1 - i
}

// decodeJoin skips quotes between parts of a word: gh""p, gh'p'x, "gh" + "p". It returns their length;
// 0 if there are none.
func (p *decoder) decodeJoin(i int) int {
	s := p.s
	if i == 0 || i+1 == len(s) || !isJoinable(s[i-1]) {
		return 0
	}
	if c := s[i+1]; lex.IsWord(c) || c == '-' {
		return lex.OneIf(splitsWord(s, i))
	}
	k, op, sure := joinEnd(s, i+1, min(len(s), i+maxJoin))
	switch {
	case k+1 >= len(s) || s[k] != '"' && s[k] != '\'' || !isJoinable(s[k+1]):
		return 0 // no other part
	case k > i+1 && op == 0 || op > 2:
		return 0 // no operator that joins texts
	case op > 0 && (!lex.IsWord(s[i-1]) && !lex.IsWord(s[k+1]) || !sure && i > 1 && lex.IsQuote(s[i-2])):
		return 0 // a comparison of characters
	}
	return k + 1 - i
}

// splitsWord reports whether the quote at i splits a word. It's and they're are words; \w is not, and
// a quote after it closes a text.
func splitsWord(s string, i int) bool {
	if !lex.IsWord(s[i-1]) || i > 1 && s[i-2] == '\\' {
		return false
	}
	return s[i] != '\'' || lex.Skip(s, i+1, min(len(s), i+4), lex.IsLetter) == i+4
}

// joinEnd skips spaces and the signs of an operator that joins texts. It returns where they end, the
// number of signs, and whether no other operator has them.
func joinEnd(s string, i, end int) (to, signs int, sure bool) {
	for sure = true; i < end && (lex.IsSpace(s[i]) || isJoinSign(s[i])); i++ {
		if isJoinSign(s[i]) {
			signs++
			sure = sure && s[i] != '|' && s[i] != '&'
		}
	}
	return i, signs, sure
}

// isJoinSign reports whether a byte is part of an operator that joins texts.
func isJoinSign(c byte) bool { return c == '+' || c == '.' || c == '&' || c == '|' }

// isJoinable reports whether a byte may be part of a word that quotes split.
func isJoinable(c byte) bool {
	return c > ' ' && c < 0x7f && !lex.IsQuote(c) && c != '(' && c != ')' && c != '[' && c != ']' && c != '{' && c != '}' && c != ',' && c != ';'
}

// HexRune returns the character with the hexadecimal number b.
func HexRune(b []byte) rune {
	var r rune
	for _, c := range b {
		d := rune(c&0xf) + 9*rune(c>>6)
		r = r<<4 | d
	}
	return r
}
