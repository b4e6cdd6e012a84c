package expand

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// appendUnescaped appends text to buf without the backslashes that escape a character in set. An
// escaped newline is removed as well.
func appendUnescaped(buf []byte, text, set string) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(set, text[i+1]) >= 0 {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		buf = append(buf, text[i])
	}
	return buf
}

// AppendANSIQuoted appends s, the text between the quotes of $'…', to buf with its escapes replaced.
func AppendANSIQuoted(buf []byte, s string) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			buf = append(buf, s[i])
			i++
			continue
		}
		n, stop := 0, false
		if s[i+1] == 'c' && i+2 < len(s) {
			buf = append(buf, s[i+2]&0x1f)
			i += 3
			continue
		}
		buf, n, stop = appendUnescapedChar(buf, s[i+1:], false)
		if stop {
			return buf
		}
		i += 1 + n
	}
	return buf
}

// appendEchoText appends s to buf with the escapes of echo -e and of %b in printf replaced, where
// octal numbers begin with a zero. It reports false if \c ends all output.
func appendEchoText(buf []byte, s string) ([]byte, bool) {
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			buf = append(buf, s[i])
			i++
			continue
		}
		n, stop := 0, false
		buf, n, stop = appendUnescapedChar(buf, s[i+1:], true)
		if stop {
			return buf, false
		}
		i += 1 + n
	}
	return buf, true
}

// appendUnescapedChar appends the character that a backslash followed by s stands for. N is the length
// of the escape in s. If echo is set, \0 begins an octal number and \c sets stop, which ends all
// output.
func appendUnescapedChar(buf []byte, s string, echo bool) (out []byte, n int, stop bool) {
	switch c := s[0]; c {
	case 'a':
		return append(buf, 7), 1, false
	case 'b':
		return append(buf, 8), 1, false
	case 'e', 'E':
		return append(buf, 27), 1, false
	case 'f':
		return append(buf, 12), 1, false
	case 'n':
		return append(buf, '\n'), 1, false
	case 'r':
		return append(buf, '\r'), 1, false
	case 't':
		return append(buf, '\t'), 1, false
	case 'v':
		return append(buf, 11), 1, false
	case '\\', '\'', '"', '?':
		if echo && c != '\\' {
			return append(buf, '\\', c), 1, false
		}
		return append(buf, c), 1, false
	case 'c':
		if echo {
			return buf, 1, true
		}
	case 'x':
		return appendCharCode(buf, s, 1, 2, 16)
	case 'u':
		return appendCharCode(buf, s, 1, 4, 16)
	case 'U':
		return appendCharCode(buf, s, 1, 8, 16)
	case '0':
		if echo {
			return appendCharCode(buf, s, 1, 3, 8)
		}
		return appendCharCode(buf, s, 0, 3, 8)
	case '1', '2', '3', '4', '5', '6', '7':
		return appendCharCode(buf, s, 0, 3, 8)
	}
	return append(buf, '\\', s[0]), 1, false
}

// appendCharCode appends the character whose code is the number at s[from:], which has up to most
// digits in the given base. Its results are those of appendUnescapedChar.
func appendCharCode(buf []byte, s string, from, most, base int) ([]byte, int, bool) {
	v, i := 0, from
	for i < len(s) && i < from+most {
		d := digitValue(s[i])
		if d >= base {
			break
		}
		v = v*base + d
		i++
	}
	if i == from && !(s[0] == '0') {
		return append(buf, '\\', s[0]), 1, false
	}
	if s[0] == 'u' || s[0] == 'U' {
		return utf8.AppendRune(buf, rune(v)), i, false
	}
	return append(buf, byte(v)), i, false
}

// digitValue returns the value of the hexadecimal digit c, or 99 if c is not one.
func digitValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

// Quote returns s as a single shell word, in quotes if it needs them.
func Quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// appendInt appends n in decimal to buf.
func appendInt(buf []byte, n int64) []byte { return strconv.AppendInt(buf, n, 10) }

// IsDigits reports whether s is a decimal number without a sign.
func IsDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// ParseSmallNumber returns the value of the decimal number s if it has at most six digits, and 1<<30
// otherwise.
func ParseSmallNumber(s string) int {
	if !IsDigits(s) || len(s) > 6 {
		return 1 << 30
	}
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}
