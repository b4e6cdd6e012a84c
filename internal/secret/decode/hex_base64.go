package decode

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// Texts whose bytes are spelt in hexadecimal or base64.

// run reads the first of the bytes that are spelt in the run s[i:end], or in a list
// that begins in it, with what stands before them, and returns how much it read.
func (p *decoder) run(i, end int) int {
	from, to, text := p.packed(i, end)
	if text == nil {
		return 0
	}
	for k := i; k < from; k++ {
		p.put(p.s[k], k, k+1)
	}
	for _, c := range text { // it goes as a whole
		p.put(c, from, to)
	}
	return to - i
}

func (p *decoder) packed(i, end int) (from, to int, text []byte) {
	if p.ways&Hex != 0 && hasHex(p.s[i:end]) {
		if from, to = p.hexIn(i, end); to > 0 {
			return from, to, HexText(p.s[from:to])
		}
	}
	if p.ways&Base64 != 0 {
		return base64In(p.s, i, end)
	}
	return 0, 0, nil
}

// hexIn returns where the first bytes in hexadecimal of the run s[i:end] begin and
// end, or of a list that begins in it.
func (p *decoder) hexIn(i, end int) (from, to int) {
	s := p.s
	for k := max(i, p.noHex); k < end; {
		digits := lex.Skip(s, k, end, lex.IsHex) - k
		last := k + digits - 2*leastHex // where a run of them can begin
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

// base64In returns the first text in base64 of the run s[i:end], and what it means.
func base64In(s string, i, end int) (from, to int, text []byte) {
	for k := i; k+leastBase64 <= end; k++ {
		if startsText(s[k:]) {
			if to, text := base64Text(s[:end], k); text != nil {
				for n := 0; n < 2 && to == end+n && to < len(s) && s[to] == '='; n++ {
					to++
				}
				return k, to, text
			}
		}
		k = lex.Skip(s, k, end, lex.IsAlnum) // behind a sign another may begin
	}
	return 0, 0, nil
}

// hasHex reports whether a run may have bytes in hexadecimal in it, or the first of a
// list.
func hasHex(run string) bool {
	if len(run) < 2*leastHex || lex.IsHex(run[0]) && lex.IsHex(run[1]) || lex.IsHex(run[len(run)-1]) {
		return true
	}
	for k := 2*leastHex - 1; k < len(run); k += 2 * leastHex {
		if lex.IsHex(run[k]) {
			return true
		}
	}
	return false
}

// startsText reports whether the first bytes of s in base64 are a text.
func startsText(s string) bool {
	var buf [3]byte
	b := Decode64(buf[:0], s[:4])
	return len(b) == 3 && isTextByte(b[0]) && isTextByte(b[1]) && isTextByte(b[2])
}

// base64Text decodes the run of base64 from i to the end of s, as far as it is a text.
func base64Text(s string, i int) (to int, text []byte) {
	const piece = 32 // of which each is judged by itself, so that no run is read twice
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
	if to-i < leastBase64 {
		return 0, nil
	}
	return to, text
}

// isTextual reports whether nearly all of b is text, of ASCII or in UTF-16.
func isTextual(b []byte) bool {
	odd := 0
	for _, c := range b {
		if !isTextByte(c) {
			odd++
		}
	}
	return len(b) > 0 && odd*10 <= len(b)
}

func isTextByte(c byte) bool { return c >= ' ' && c < 0x7f || lex.IsSpace(c) || c == 0 }

// mostHex is how many bytes of a list are read at once.
const mostHex = 16 << 10

// HexEnd returns the end of the bytes in hexadecimal that begin at i: 6768, 67 68,
// 67:68, 0x67, 0x68. It is 0 when they do not begin with a piece of text.
func HexEnd(s string, i int) int {
	n, odd, seen, to := 0, 0, 0, i
	for n < mostHex {
		at := hexItem(s, i)
		if at < 0 {
			break
		}
		c := hexByte(s[at:])
		if odd++; isTextByte(c) {
			odd = 0
		}
		if odd > 0 && n < leastHex {
			return 0
		}
		if odd > 4 {
			break
		}
		if c != 0 {
			seen++
		}
		if n++; n == leastHex && seen < leastHex/2 {
			return 0 // numbers have zeros, too
		}
		to = at + 2
		i = hexNext(s, to, at > i)
	}
	if n < leastHex {
		return 0
	}
	return to
}

// HexText are the bytes of what HexEnd found.
func HexText(s string) []byte {
	text := make([]byte, 0, len(s)/2)
	for i := 0; i < len(s); {
		at := hexItem(s, i)
		if at < 0 {
			break
		}
		text = append(text, hexByte(s[at:]))
		i = hexNext(s, at+2, at > i)
	}
	return text
}

// hexItem returns where the digits of the byte at i begin, or -1.
func hexItem(s string, i int) int {
	if i+3 < len(s) && s[i] == '0' && s[i+1]|0x20 == 'x' {
		i += 2
	}
	if i+1 >= len(s) || !lex.IsHex(s[i]) || !lex.IsHex(s[i+1]) {
		return -1
	}
	return i
}

// hexNext returns where the next byte may begin. A comma is between those with 0x
// only: other lists are of decimal numbers.
func hexNext(s string, i int, prefixed bool) int {
	for n := 0; n < 3 && i < len(s) && (strings.IndexByte(" :-\n", s[i]) >= 0 || prefixed && s[i] == ','); n++ {
		i++
	}
	return i
}

func hexByte(s string) byte { return hexDigit(s[0])<<4 | hexDigit(s[1]) }

func hexDigit(c byte) byte { return c&0xf + 9*(c>>6) }

// Decode64 appends to dst what s means in base64, of either alphabet. It stops
// at the first byte of none.
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
