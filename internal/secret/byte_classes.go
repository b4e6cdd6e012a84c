package secret

func isDigit(c byte) bool  { return c-'0' < 10 }
func isLower(c byte) bool  { return c-'a' < 26 }
func isUpper(c byte) bool  { return c-'A' < 26 }
func isLetter(c byte) bool { return c|0x20-'a' < 26 }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isWord(c byte) bool   { return isAlnum(c) || c == '_' }
func isHex(c byte) bool    { return isDigit(c) || c|0x20-'a' < 6 }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }
func isSpace(c byte) bool  { return c == ' ' || c-'\t' < 5 }
func isQuote(c byte) bool  { return c == '"' || c == '\'' || c == '`' }

func lowered(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}

// skip returns the first offset from i on, and before end, whose byte is
// not in the class.
func skip(s string, i, end int, class func(byte) bool) int {
	for i < end && class(s[i]) {
		i++
	}
	return i
}

// back returns the first offset of the bytes of the class that end before i,
// not going below least.
func back(s string, i, least int, class func(byte) bool) int {
	for i > least && class(s[i-1]) {
		i--
	}
	return i
}

// toSign returns the first offset from i on, and before end, of the sign or of
// the end of the line.
func toSign(s string, i, end int, sign byte) int {
	for i < end && s[i] != sign && s[i] != '\n' {
		i++
	}
	return i
}

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// opensWord reports whether a token may start at i: no letter, digit or
// underscore is before it, those aside that end an escape or a colour.
func opensWord(s string, i int) bool {
	if i == 0 || !isWord(s[i-1]) {
		return true
	}
	switch c := s[i-1]; {
	case i >= 2 && s[i-2] == '\\':
		return c == 'n' || c == 'r' || c == 't'
	case i >= 3 && s[i-3] == '%' && isHex(c) && isHex(s[i-2]):
		return true // %3D
	case c == 'm':
		k := back(s, i-1, max(0, i-16), isColour)
		return k >= 2 && s[k-1] == '[' && (s[k-2] == 0x1b || s[k-2] == 'b' || s[k-2] == 'e' || s[k-2] == '3')
	case i >= 6 && s[i-6] == '\\' && s[i-5] == 'u':
		return isHex(c) && isHex(s[i-2]) // \u0022
	}
	return false
}

func isColour(c byte) bool { return isDigit(c) || c == ';' }

// closesWord reports whether a token may end at i.
func closesWord(s string, i int) bool { return i >= len(s) || !isWord(s[i]) }

func hasDigit(s string) bool {
	return skip(s, 0, len(s), func(c byte) bool { return !isDigit(c) }) < len(s)
}

func isName(c byte) bool { return isWord(c) || c == '-' || c == '.' }

// isToken reports whether a byte may be in a token.
func isToken(c byte) bool { return c > ' ' && c < 0x7f && !isQuote(c) }

func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

func isURLBase64(c byte) bool { return isWord(c) || c == '-' }

// isMarkup reports whether a byte may stand between a cell and its text.
func isMarkup(c byte) bool { return isBlank(c) || isQuote(c) || c == '*' }

// wideColon is the colon of Chinese and Japanese texts.
const wideColon = "："

// wideQuote returns the length of the typographic quote at i, or 0.
func wideQuote(s string, i int) int {
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

func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}
