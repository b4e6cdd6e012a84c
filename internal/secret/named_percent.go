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
		switch c := s[k]; {
		case !isToken(c) || c == '&' || c == '<' || c == '>' || c == '\\':
			return k
		case c == '%' && k+2 < len(s) && (s[k+1] == '2' && (s[k+2] == '2' || s[k+2] == '6' || s[k+2] == '7' || s[k+2] == '0' || s[k+2]|0x20 == 'c') ||
			s[k+1] == '7' && s[k+2]|0x20 == 'd' || s[k+1] == '3' && s[k+2]|0x20 == 'b' || s[k+1] == '0'):
			return k
		case c == '%' && k+4 < len(s) && s[k+1:k+4] == "252" && (s[k+4] == '2' || s[k+4] == '6' || s[k+4] == '7'):
			return k
		}
	}
	return most
}
