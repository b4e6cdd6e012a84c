package decode

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// This file decodes text in hexadecimal or base64.

// decodeRun decodes the first hexadecimal or base64 text in the run s[i:end], or in a list of bytes
// that begins in it, together with the text before it. It returns the length of both in the source, or
// 0 if nothing is encoded.
func (p *decoder) decodeRun(i, end int) int {
	from, to, text := p.findEncodedText(i, end)
	if text == nil {
		return 0
	}
	for k := i; k < from; k++ {
		p.appendByte(p.s[k], k, k+1)
	}
	for _, c := range text { // the whole span encodes each byte
		p.appendByte(c, from, to)
	}
	return to - i
}

// findEncodedText returns the first hexadecimal or base64 text in the run s[i:end], decoded, and its
// span. The text is nil if there is none.
func (p *decoder) findEncodedText(i, end int) (from, to int, text []byte) {
	if p.ways&Hex != 0 && mayHaveHex(p.s[i:end]) {
		if from, to = p.findHex(i, end); to > 0 {
			return from, to, DecodeHex(p.s[from:to])
		}
	}
	if p.ways&Base64 != 0 {
		return findBase64(p.s, i, end)
	}
	return 0, 0, nil
}

// findHex returns the span of the first hexadecimal text in the run s[i:end], or of a list of bytes
// that begins in it. It returns 0, 0 if there is none.
func (p *decoder) findHex(i, end int) (from, to int) {
	s := p.s
	for k := max(i, p.noHex); k < end; {
		digits := lex.Skip(s, k, end, lex.IsHex) - k
		last := k + digits - 2*minHex // the last offset at which a long enough run can begin
		if last < k && (digits > 1 && (k == i || !lex.IsAlnum(s[k-1])) || digits == 1 && s[k] == '0' && k+1 < end && s[k+1]|0x20 == 'x') {
			last = k // a list
		}
		for from := k; from <= last; from++ {
			if to := HexEnd(s, from); to > 0 {
				return from, to
			}
		}
		k += max(digits, 1)
		p.noHex = k
	}
	return 0, 0
}

// findBase64 returns the span of the first base64 text in the run s[i:end], and the decoded text. The
// text is nil if there is none.
func findBase64(s string, i, end int) (from, to int, text []byte) {
	for k := i; k+minBase64 <= end; k++ {
		if startsBase64Text(s[k:]) {
			if to, text := decodeBase64Text(s[:end], k); text != nil {
				for n := 0; n < 2 && to == end+n && to < len(s) && s[to] == '='; n++ {
					to++
				}
				return k, to, text
			}
		}
		k = lex.Skip(s, k, end, lex.IsAlnum) // another text may begin after punctuation
	}
	return 0, 0, nil
}

// mayHaveHex reports whether run may contain hexadecimal text, or the first byte of a list. It checks
// only some of the bytes.
func mayHaveHex(run string) bool {
	if len(run) < 2*minHex || lex.IsHex(run[0]) && lex.IsHex(run[1]) || lex.IsHex(run[len(run)-1]) {
		return true
	}
	for k := 2*minHex - 1; k < len(run); k += 2 * minHex {
		if lex.IsHex(run[k]) {
			return true
		}
	}
	return false
}

// startsBase64Text reports whether the first four bytes of s are base64 of printable ASCII.
func startsBase64Text(s string) bool {
	var buf [3]byte
	b := Decode64(buf[:0], s[:4])
	return len(b) == 3 && isTextByte(b[0]) && isTextByte(b[1]) && isTextByte(b[2])
}

// decodeBase64Text decodes base64 from i, as far as it encodes text, and returns the offset where that
// ends. It returns 0, nil if the run is too short.
func decodeBase64Text(s string, i int) (to int, text []byte) {
	const piece = 32 // each piece is judged separately, so that no run is read twice
	var buf [24]byte
	for to = i; to < len(s); {
		n := min(piece, len(s)-to)
		bytes := Decode64(buf[:0], s[to:to+n])
		if n > 1 && !isTextual(bytes) {
			break
		}
		text = append(text, bytes...)
		to += n
	}
	if to-i < minBase64 {
		return 0, nil
	}
	return to, text
}

// isTextual reports whether at least 90 % of b is ASCII text or the NULs of UTF-16.
func isTextual(b []byte) bool {
	odd := 0
	for _, c := range b {
		if !isTextByte(c) {
			odd++
		}
	}
	return len(b) > 0 && odd*10 <= len(b)
}

// isTextByte reports whether c is printable ASCII, a space or NUL.
func isTextByte(c byte) bool { return c >= ' ' && c < 0x7f || lex.IsSpace(c) || c == 0 }

// maxHex is the maximum number of bytes of a list that are decoded at once.
const maxHex = 16 << 10

// HexEnd returns the offset where the hexadecimal bytes that begin at i end: 6768, 67 68, 67:68, 0x67,
// 0x68. It returns 0 if they are too few or do not begin with text.
func HexEnd(s string, i int) int {
	n, odd, seen, to := 0, 0, 0, i
	for n < maxHex {
		at := hexDigitsAt(s, i)
		if at < 0 {
			break
		}
		c := hexByte(s[at:])
		if odd++; isTextByte(c) {
			odd = 0
		}
		if odd > 0 && n < minHex {
			return 0
		}
		if odd > 4 {
			break
		}
		if c != 0 {
			seen++
		}
		if n++; n == minHex && seen < minHex/2 {
			return 0 // numbers contain zeros
		}
		to = at + 2
		i = nextHexByte(s, to, at > i)
	}
	if n < minHex {
		return 0
	}
	return to
}

// DecodeHex returns the bytes that s, a span that HexEnd delimited, encodes.
func DecodeHex(s string) []byte {
	text := make([]byte, 0, len(s)/2)
	for i := 0; i < len(s); {
		at := hexDigitsAt(s, i)
		if at < 0 {
			break
		}
		text = append(text, hexByte(s[at:]))
		i = nextHexByte(s, at+2, at > i)
	}
	return text
}

// hexDigitsAt returns the offset of the two digits of the hexadecimal byte at i, after an optional 0x,
// or -1 if there is none.
func hexDigitsAt(s string, i int) int {
	if i+3 < len(s) && s[i] == '0' && s[i+1]|0x20 == 'x' {
		i += 2
	}
	if i+1 >= len(s) || !lex.IsHex(s[i]) || !lex.IsHex(s[i+1]) {
		return -1
	}
	return i
}

// nextHexByte returns the offset where the next byte may begin, after separators at i. Commas separate
// only bytes that are prefixed with 0x, because lists without a prefix are of decimal numbers.
func nextHexByte(s string, i int, prefixed bool) int {
	for n := 0; n < 3 && i < len(s) && (strings.IndexByte(" :-\n", s[i]) >= 0 || prefixed && s[i] == ','); n++ {
		i++
	}
	return i
}

// hexByte returns the byte that the first two hexadecimal digits of s encode.
func hexByte(s string) byte { return hexDigit(s[0])<<4 | hexDigit(s[1]) }

// hexDigit returns the value of the hexadecimal digit c.
func hexDigit(c byte) byte { return c&0xf + 9*(c>>6) }

// Decode64 appends the bytes that s encodes in base64, in either alphabet, to dst. It stops at the
// first byte of s that is not a base64 digit.
func Decode64(dst []byte, s string) []byte {
	var acc uint32
	bits := 0
	for i := range len(s) {
		d, ok := digit64(s[i])
		if !ok {
			break
		}
		acc = acc<<6 | d
		if bits += 6; bits >= 8 {
			bits -= 8
			dst = append(dst, byte(acc>>bits))
		}
	}
	return dst
}

// IsText reports whether b is readable ASCII.
func IsText(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	for _, c := range b {
		if c >= 0x7f || c < ' ' && !lex.IsSpace(c) {
			return false
		}
	}
	return true
}

// digit64 returns the value of the base64 digit c, in either alphabet. It reports false if c is none.
func digit64(c byte) (uint32, bool) {
	switch {
	case lex.IsUpper(c):
		return uint32(c - 'A'), true
	case lex.IsLower(c):
		return uint32(c-'a') + 26, true
	case lex.IsDigit(c):
		return uint32(c-'0') + 52, true
	case c == '+' || c == '-':
		return 62, true
	case c == '/' || c == '_':
		return 63, true
	}
	return 0, false
}
