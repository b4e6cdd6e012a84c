package facts

import "strings"

// Base64 decodes base64 of either alphabet. Padding and white space do not count.
func Base64(s string) (string, bool) {
	b := make([]byte, 0, len(s)*3/4)
	acc, bits := uint32(0), 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		var d uint32
		switch {
		case c >= 'A' && c <= 'Z':
			d = uint32(c - 'A')
		case c >= 'a' && c <= 'z':
			d = uint32(c-'a') + 26
		case c >= '0' && c <= '9':
			d = uint32(c-'0') + 52
		case c == '+' || c == '-':
			d = 62
		case c == '/' || c == '_':
			d = 63
		case c == '=' || c <= ' ':
			continue
		default:
			return "", false
		}
		acc, bits = acc<<6|d, bits+6
		if bits >= 8 {
			bits -= 8
			b = append(b, byte(acc>>bits))
		}
	}
	return string(b), true
}

// Rot13 moves the letters of a text by half of the alphabet.
func Rot13(s string) string {
	b := []byte(s)
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z':
			b[i] = 'a' + (c-'a'+13)%26
		case c >= 'A' && c <= 'Z':
			b[i] = 'A' + (c-'A'+13)%26
		}
	}
	return string(b)
}

// Short cuts a text to what fits on a line.
func Short(s string) string {
	const most = 120
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	if len(s) <= most {
		return s
	}
	for n := most; n > most-4; n-- {
		if s[n]&0xC0 != 0x80 {
			return s[:n] + "…"
		}
	}
	return s[:most]
}
