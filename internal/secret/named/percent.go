package named

import "github.com/checkrein/checkrein/internal/secret/lex"

// This file reads names and values with percent-encoded operators: NAME%3Dx.

// readPercentOperator reads a percent-encoded operator at i, %3D or %3A, with encoded quotes around
// it. It returns the offset where the value starts, and reports whether there is an operator.
func (v *Value) readPercentOperator(s string, i int) (valueStart int, ok bool) {
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
		case "22", "27", "20", "5B", "5D", "5b", "5d": // quotes, a space, brackets
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

// percentValueEnd returns the offset where the percent-encoded value that starts at i ends: at an & or
// at the encoding of a closing character.
func percentValueEnd(s string, i int) int {
	most := min(len(s), i+lex.MaxValue)
	for k := i; k < most; k++ {
		switch c := s[k]; c {
		case '&', '<', '>', '\\':
			return k
		case '%':
			if encodesCloser(s[k+1:]) {
				return k
			}
		default:
			if !lex.IsTokenByte(c) {
				return k
			}
		}
	}
	return most
}

// encodesCloser reports whether digits, the text after a percent sign, encode a byte that closes a
// value: a quote, a space, & , ; } or a control character.
func encodesCloser(digits string) bool {
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
