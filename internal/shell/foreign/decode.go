package foreign

import "unicode/utf16"

// decodeCommand decodes -EncodedCommand: base64 of UTF-16.
func decodeCommand(s string) (string, bool) {
	raw, ok := decode64(s)
	if !ok || len(raw) < 2 {
		return "", false
	}
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i])|uint16(raw[i+1])<<8)
	}
	return string(utf16.Decode(units)), true
}

func decode64(s string) (string, bool) {
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
