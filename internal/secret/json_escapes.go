package secret

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// JSON inside a text, a line of a log for one, spells some characters \u003d,
// \n and \", and a secret may be all spelt so or have its place by the lines of
// what was written. The parts around such characters are looked at once more as
// they are meant.

func findEscaped(f *search.Finder) {
	s := f.Text
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '\\')
		if i < 0 {
			return
		}
		i += at
		if !startsPart(s, i) {
			at = min(len(s), i+2)
			continue
		}
		from := max(at, i-lex.EscapeReach)
		if line := strings.LastIndexByte(s[from:i], '\n'); line >= 0 {
			from += line + 1
		}
		at = findMeant(f, from, i)
	}
}

// startsPart reports whether the backslash at i spells a character for which the
// text around it is looked at again. A new line that ends a text is none.
func startsPart(s string, i int) bool {
	if i+2 >= len(s) {
		return false
	}
	switch s[i+1] {
	case 'n':
		return (s[i+2] != '"' || i+3 < len(s) && (s[i+3] == '}' || s[i+3] == ',')) && s[i+2] != '\n' && (s[i+2] != '\'' || i+3 < len(s) && lex.IsAlnum(s[i+3]))
	case '"':
		return true
	case 'u':
		_, ok := escapeAt(s, i)
		return ok
	case '\\':
		_, n := spelt(s, i)
		return n > 2
	}
	return false
}

// escapeAt returns the character that is spelt out at i, if it is one of ASCII
// that a text has.
func escapeAt(s string, i int) (byte, bool) {
	if i+6 > len(s) || s[i+1] != 'u' || s[i+2] != '0' || s[i+3] != '0' || !lex.IsHex(s[i+4]) || !lex.IsHex(s[i+5]) {
		return 0, false
	}
	c := byte(decode.HexRune([]byte{s[i+4], s[i+5]}))
	return c, c < 0x7f && (c >= ' ' || lex.IsSpace(c))
}

// findMeant looks at the part of the text from from on, in which the first character
// that is spelt out is at i, and returns where it ends.
func findMeant(f *search.Finder, from, i int) int {
	s := f.Text
	text := make([]byte, 0, 2*lex.EscapeReach)
	at, end := from, min(len(s), i+lex.EscapeReach)
	for at < end && s[at] != '\n' {
		c, n := spelt(s, at)
		if n > 1 {
			end = min(len(s), at+n+lex.EscapeReach)
		}
		text = append(text, c)
		at += n
	}
	in := f.Within(string(text), f.Want)
	findAll(&in)
	place, k := from, 0 // a place in the text, and what is there in the part
	for _, n := range settle(&in) {
		start := place
		for ; k < n.End; k++ {
			if k == n.Start {
				start = place
			}
			_, size := spelt(s, place)
			place += size
		}
		f.Add(n.Rule, start, place)
	}
	return max(at, i+1)
}

// spelt returns the character at i and how many bytes it takes there. Within JSON
// in JSON there are several backslashes.
func spelt(s string, i int) (byte, int) {
	if s[i] != '\\' {
		return s[i], 1
	}
	k := i
	for k+1 < len(s) && s[k+1] == '\\' && k-i < 7 {
		k++
	}
	if c, ok := escapeAt(s, k); ok {
		return c, k - i + 6
	}
	if i+1 < len(s) {
		switch s[i+1] {
		case 'n':
			return '\n', 2
		case 't':
			return '\t', 2
		case 'r':
			return '\r', 2
		case '"', '\\', '/':
			return s[i+1], 2
		}
	}
	return s[i], 1
}
