package secret

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// RedactJSON within other text, such as a line of a log, escapes some characters as \u003d, \n
// and \". A secret may contain such escapes, or be recognised only by the escaped lines
// around it, so the parts around escapes are decoded and searched once more.

// findInJSONEscapes adds the findings in the decoded parts of the text that have RedactJSON escapes.
func findInJSONEscapes(f *search.Finder) {
	s := f.Text
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '\\')
		if i < 0 {
			return
		}
		i += at
		if !isEscapeStart(s, i) {
			at = min(len(s), i+2)
			continue
		}
		from := max(at, i-lex.EscapeReach)
		if line := strings.LastIndexByte(s[from:i], '\n'); line >= 0 {
			from += line + 1
		}
		at = findInEscapedPart(f, from, i)
	}
}

// isEscapeStart reports whether the backslash at i begins an escape for which the text around it is
// searched again. An escaped newline at the end of a string does not.
func isEscapeStart(s string, i int) bool {
	if i+2 >= len(s) {
		return false
	}
	switch s[i+1] {
	case 'n':
		return (s[i+2] != '"' || i+3 < len(s) && (s[i+3] == '}' || s[i+3] == ',')) && s[i+2] != '\n' && (s[i+2] != '\'' || i+3 < len(s) && lex.IsAlnum(s[i+3]))
	case '"':
		return true
	case 'u':
		_, ok := unicodeEscapeAt(s, i)
		return ok
	case '\\':
		_, n := unescapeAt(s, i)
		return n > 2
	}
	return false
}

// unicodeEscapeAt returns the character of the \u escape at i. It reports false if there is none, or
// if the character is neither printable ASCII nor a space.
func unicodeEscapeAt(s string, i int) (byte, bool) {
	if i+6 > len(s) || s[i+1] != 'u' || s[i+2] != '0' || s[i+3] != '0' || !lex.IsHex(s[i+4]) || !lex.IsHex(s[i+5]) {
		return 0, false
	}
	c := byte(decode.HexRune([]byte{s[i+4], s[i+5]}))
	return c, c < 0x7f && (c >= ' ' || lex.IsSpace(c))
}

// findInEscapedPart adds the findings in the part of the text that starts at from and has its first
// escape at i. It returns the offset where the part ends.
func findInEscapedPart(f *search.Finder, from, i int) int {
	s := f.Text
	text := make([]byte, 0, 2*lex.EscapeReach)
	at, end := from, min(len(s), i+lex.EscapeReach)
	for at < end && s[at] != '\n' {
		c, n := unescapeAt(s, at)
		if n > 1 {
			end = min(len(s), at+n+lex.EscapeReach)
		}
		text = append(text, c)
		at += n
	}
	in := f.NewInner(string(text), f.Want)
	findAll(&in)
	place, k := from, 0 // an offset in the text, and the corresponding one in the decoded part
	for _, n := range mergeFound(&in) {
		start := place
		for ; k < n.End; k++ {
			if k == n.Start {
				start = place
			}
			_, size := unescapeAt(s, place)
			place += size
		}
		f.Add(n.Rule, start, place)
	}
	return max(at, i+1)
}

// unescapeAt returns the character at i, and the number of bytes that encode it. RedactJSON within RedactJSON has
// several backslashes.
func unescapeAt(s string, i int) (byte, int) {
	if s[i] != '\\' {
		return s[i], 1
	}
	k := i
	for k+1 < len(s) && s[k+1] == '\\' && k-i < 7 {
		k++
	}
	if c, ok := unicodeEscapeAt(s, k); ok {
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
