package rawjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The functions of this file take one token. They return the offset after it
// and "", or the offset of the fault (len(b) for a text that ends) and why.

// checkString takes a string whose opening quote is just before i.
func checkString(b []byte, i int) (int, string) {
	for {
		i = plainRun(b, i)
		if i >= len(b) {
			return len(b), msgEnd
		}
		from := i
		for i+1 < len(b) && b[i] == '\\' && short(b[i+1]) != 0 { // new lines and tabs come in rows
			i += 2
		}
		if i > from {
			continue
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, ""
		case c == '\\':
			var msg string
			if i, msg = checkEscape(b, i); msg != "" {
				return i, msg
			}
		case c < ' ':
			return i, msgControl
		default:
			end := wideRun(b, i)
			if !utf8.Valid(b[i:end]) {
				return i + validLen(b[i:end]), msgUTF8
			}
			i = end
		}
	}
}

// plainRun returns the offset of the first byte from i on that ends a string
// or needs a closer look: a quote, a backslash, a control character, a byte
// outside ASCII. Eight bytes are judged at a time, since the bulk of a payload
// is plain text in strings.
func plainRun(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// wideRun returns the offset of the first ASCII byte from i on.
func wideRun(b []byte, i int) int {
	for i < len(b) && b[i] >= utf8.RuneSelf {
		i++
	}
	return i
}

// validLen returns how many bytes at the start of b are valid UTF-8.
func validLen(b []byte) int {
	for i := 0; ; {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n < 2 {
			return i
		}
		i += n
	}
}

// special sets the top bit of each byte of w that plainRun stops at. Borrows
// may set it for bytes above such a byte, so only the lowest bit set counts.
func special(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	m := (quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w | w
	return m & tops
}

// checkEscape takes an escape whose backslash is at i.
func checkEscape(b []byte, i int) (int, string) {
	if i+1 >= len(b) {
		return len(b), msgEnd
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, ""
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if k >= len(b) {
				return len(b), msgEnd
			}
			if _, ok := hexDigit(b[k]); !ok {
				return k, msgEscape
			}
		}
		return i + 6, ""
	}
	return i + 1, msgEscape
}

// checkNumber takes a number whose first byte, a sign or a digit, is at i.
func checkNumber(b []byte, i int) (int, string) {
	if b[i] == '-' {
		i++
	}
	end := digits(b, i)
	if end > i && b[i] == '0' {
		end = i + 1 // a zero stands alone: what follows is not its digit
	}
	if end == i {
		return i, msgNumber
	}
	i = end
	if i < len(b) && b[i] == '.' {
		if end = digits(b, i+1); end == i+1 {
			return end, msgNumber
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if end = digits(b, i); end == i {
			return end, msgNumber
		}
		i = end
	}
	return i, ""
}

// digits returns the end of the run of digits at i.
func digits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// checkLiteral takes the word want, whose first letter is at i.
func checkLiteral(b []byte, i int, want string) (int, string) {
	for k := 1; k < len(want); k++ {
		if i+k >= len(b) || b[i+k] != want[k] {
			return i + k, msgLiteral
		}
	}
	return i + len(want), ""
}

// hexDigit returns the value of a hexadecimal digit.
func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}
