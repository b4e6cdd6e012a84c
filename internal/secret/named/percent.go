package named

import "github.com/checkrein/checkrein/internal/secret/lex"

// This file reads names and values as URLs encode them: NAME%3Dx.

// readEscaped reads an operator that is encoded as in a URL: %3D, or %3A with quotes around it. It
// returns where the value starts.
func (v *Value) readEscaped(s string, i int) (int, bool) {
	op := false
	for n := 0; n < 6 && i+2 < len(s); n++ {
		if s[i] == '+' && op {
			i++
			continue
		}
		if s[i] != '%' {
			break
		}
		k := i
		if s[k+1] == '2' && s[k+2] == '5' && k+4 < len(s) { // escaped twice
			k += 2
		}
		switch s[k+1 : k+3] {
		case "22", "27", "20", "5B", "5D", "5b", "5d": // quotes, a blank, brackets
		case "3D", "3d", "3A", "3a":
			if op {
				return i, true
			}
			op = true
		default:
			return i, op
		}
		i = k + 3
	}
	v.Op, v.Quote = '=', '%'
	return i, op
}

// escapedEnd returns where the value of a URL that starts at i ends: at an escape of a closing
// character.
func escapedEnd(s string, i int) int {
	most := min(len(s), i+lex.MaxValue)
	for k := i; k < most; k++ {
		switch c := s[k]; c {
		case '&', '<', '>', '\\':
			return k
		case '%':
			if closesEscaped(s[k+1:]) {
				return k
			}
		default:
			if !lex.IsToken(c) {
				return k
			}
		}
	}
	return most
}

// closesEscaped reports whether the digits after a percent sign encode a byte that closes a value: a
// quote, a space, & , ; } or a control character.
func closesEscaped(digits string) bool {
	if len(digits) < 2 {
		return false
	}
	low := digits[1]
	switch digits[0] {
	case '0':
		return true
	case '2':
		if low == '5' && len(digits) >= 4 && digits[2] == '2' { // escaped twice
			return digits[3] == '2' || digits[3] == '6' || digits[3] == '7'
		}
		return low == '0' || low == '2' || low == '6' || low == '7' || low|0x20 == 'c'
	case '3':
		return low|0x20 == 'b'
	case '7':
		return low|0x20 == 'd'
	}
	return false
}
