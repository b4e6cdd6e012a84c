// Package lex holds small matchers for finding secrets: classes of bytes, case-insensitive
// comparisons, the words of a name, shapes of tokens, and how far a rule may read.
package lex

func IsDigit(c byte) bool    { return c-'0' < 10 }
func IsLower(c byte) bool    { return c-'a' < 26 }
func IsUpper(c byte) bool    { return c-'A' < 26 }
func IsLetter(c byte) bool   { return c|0x20-'a' < 26 }
func IsAlnum(c byte) bool    { return IsLetter(c) || IsDigit(c) }
func IsWordByte(c byte) bool { return IsAlnum(c) || c == '_' }
func IsHex(c byte) bool      { return IsDigit(c) || c|0x20-'a' < 6 }
func IsBlank(c byte) bool    { return c == ' ' || c == '\t' }
func IsSpace(c byte) bool    { return c == ' ' || c-'\t' < 5 }
func IsQuote(c byte) bool    { return c == '"' || c == '\'' || c == '`' }

// ToLower returns c in lower case.
func ToLower(c byte) byte {
	if IsUpper(c) {
		return c | 0x20
	}
	return c
}

// Skip returns the offset of the first byte of s[i:end] that is not in class, or end.
func Skip(s string, i, end int, class func(byte) bool) int {
	for i < end && class(s[i]) {
		i++
	}
	return i
}

// SkipBack returns the offset where the bytes of class that end before i start, at least least.
func SkipBack(s string, i, least int, class func(byte) bool) int {
	for i > least && class(s[i-1]) {
		i--
	}
	return i
}

// IndexOnLine returns the offset of the first c or newline in s[i:end], or end.
func IndexOnLine(s string, i, end int, c byte) int {
	for i < end && s[i] != c && s[i] != '\n' {
		i++
	}
	return i
}

func IsLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// OpensWord reports whether a token may start at i: no letter, digit or underscore precedes it, except
// those that end an escape or a colour code.
func OpensWord(s string, i int) bool {
	if i == 0 || !IsWordByte(s[i-1]) {
		return true
	}
	switch c := s[i-1]; {
	case i >= 2 && s[i-2] == '\\':
		return c == 'n' || c == 'r' || c == 't'
	case i >= 3 && s[i-3] == '%' && IsHex(c) && IsHex(s[i-2]):
		return true // %3D
	case c == 'm':
		k := SkipBack(s, i-1, max(0, i-16), isColourByte)
		return k >= 2 && s[k-1] == '[' && (s[k-2] == 0x1b || s[k-2] == 'b' || s[k-2] == 'e' || s[k-2] == '3')
	case i >= 6 && s[i-6] == '\\' && s[i-5] == 'u':
		return IsHex(c) && IsHex(s[i-2]) // \u0022
	}
	return false
}

// isColourByte reports whether c may be part of a terminal's colour code.
func isColourByte(c byte) bool { return IsDigit(c) || c == ';' }

// ClosesWord reports whether a token may end before s[i].
func ClosesWord(s string, i int) bool { return i >= len(s) || !IsWordByte(s[i]) }

func HasDigit(s string) bool {
	return Skip(s, 0, len(s), func(c byte) bool { return !IsDigit(c) }) < len(s)
}

func IsNameByte(c byte) bool { return IsWordByte(c) || c == '-' || c == '.' }

// IsTokenByte reports whether c may be part of a token: printable ASCII except spaces and quotes.
func IsTokenByte(c byte) bool { return c > ' ' && c < 0x7f && !IsQuote(c) }

func IsBase64(c byte) bool { return IsAlnum(c) || c == '+' || c == '/' || c == '=' }

func IsURLBase64(c byte) bool { return IsWordByte(c) || c == '-' }

// IsMarkupByte reports whether c may be between the edge of a table cell and its content.
func IsMarkupByte(c byte) bool { return IsBlank(c) || IsQuote(c) || c == '*' }

// WideColon is the full-width colon of Chinese and Japanese text.
const WideColon = "："

// WideQuoteLen returns the length in bytes of the typographic quote at i, or 0 if there is none.
func WideQuoteLen(s string, i int) int {
	if i+3 <= len(s) {
		switch s[i : i+3] {
		case "“", "”", "‘", "’", "「", "」", "『", "』", "„":
			return 3
		}
	}
	if i+2 <= len(s) && (s[i:i+2] == "«" || s[i:i+2] == "»") {
		return 2
	}
	return 0
}

// OneIf returns 1 if is is true, and 0 otherwise.
func OneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}
