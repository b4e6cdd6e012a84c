package secret

// Names and values as addresses spell them: NAME%3Dx.

// escapedOperator reads an operator as it is spelt in an address: %3D, or %3A
// with quotes around it. It returns where the value starts.
func (v *value) escapedOperator(s string, i int) (int, bool) {
	op := byte(0)
	for n := 0; n < 6 && i+2 < len(s); n++ {
		k := i
		if s[k] == '%' && s[k+1] == '2' && s[k+2] == '5' && k+4 < len(s) { // escaped twice
			k += 2
		}
		if s[i] == '+' && op != 0 {
			i++
			continue
		}
		if s[i] != '%' {
			break
		}
		switch code := s[k+1 : k+3]; {
		case code == "22" || code == "27" || code == "20" || code == "5B" || code == "5D" || code == "5b" || code == "5d":
		case (code == "3D" || code == "3d") && op == 0:
			op = '='
		case (code == "3A" || code == "3a") && op == 0:
			op = ':'
		default:
			return i, op != 0
		}
		i = k + 3
	}
	v.op, v.quote = '=', '%'
	return i, op != 0
}

// escapedEnd returns where a value of an address ends that starts at i: at an
// escape for what closes it.
func escapedEnd(s string, i int) int {
	most := min(len(s), i+maxValue)
	for k := i; k < most; k++ {
		switch c := s[k]; c {
		case '&', '<', '>', '\\':
			return k
		case '%':
			if closesEscaped(s[k+1:]) {
				return k
			}
		default:
			if !isToken(c) {
				return k
			}
		}
	}
	return most
}

// closesEscaped reports whether the digits behind a percent sign stand for a byte
// that closes a value: a quote, a blank, & , ; } or a control.
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
