package known

import (
	"strings"
	"unicode/utf8"
)

// A letter is a letter or digit of a view, in lower case, and its span in the text.
type letter struct {
	from  int32
	width uint8
	c     byte
}

// A view holds the letters and digits of a text that are compared.
type view []letter

// add adds c, which the text shows from from to to, if it is a letter or digit.
func (v *view) add(c byte, from, to int) {
	if c = letters[c]; c != 0 {
		*v = append(*v, letter{int32(from), uint8(to - from), c})
	}
}

// span returns the match with a value that the letters from and before to are. They may be in another
// order in the text, if it shows lines backwards.
func (v view) span(value, from, to int) Match {
	m := Match{value, int(v[from].from), 0}
	for _, l := range v[from:to] {
		m.Start, m.End = min(m.Start, int(l.from)), max(m.End, int(l.from)+int(l.width))
	}
	return m
}

// eachView calls yield with each view of text that may show more than the ones before it.
func eachView(text string, yield func(view)) {
	v := make(view, 0, len(text))
	run := func(build func(*view)) {
		v = v[:0]
		if build(&v); len(v) >= minLetters {
			yield(v)
		}
	}
	run(func(v *view) {
		for i := range len(text) {
			v.add(text[i], i, i+1)
		}
	})
	if strings.IndexByte(text, '\\') >= 0 || strings.IndexByte(text, '%') >= 0 || strings.IndexByte(text, '&') >= 0 {
		run(func(v *view) { v.addDecoded(text, 0, len(text)) })
	}
	run(func(v *view) { // as rev prints it, also of what another program folded or encoded
		eachLine(text, func(from, to int) {
			for i := to - 1; i >= from; i-- {
				v.add(text[i], i, i+1)
			}
		})
	})
	margins := 0
	eachLine(text, func(from, to int) {
		if marginWidth(text[from:to]) > 0 {
			margins++
		}
	})
	if margins > 1 {
		run(func(v *view) {
			eachLine(text, func(from, to int) { v.addDecoded(text, from+marginWidth(text[from:to]), to) })
		})
	}
	prefixes := strings.Contains(text, "0x")
	if margins > 0 || prefixes {
		run(func(v *view) { v.addHex(text, prefixes) })
		run(func(v *view) { v.addShownText(text) })
	}
	if numbers := findNumbers(text); len(numbers) >= minLetters {
		for _, base := range [...]numberBase{{10, 2, 3}, {8, 3, 3}, {2, 8, 8}} {
			run(func(v *view) { v.addNumbers(text, numbers, base) })
		}
	}
}

// eachLine calls yield with the span of each line of text, without its newline.
func eachLine(text string, yield func(from, to int)) {
	for from := 0; from < len(text); {
		n := strings.IndexByte(text[from:], '\n')
		if n < 0 {
			n = len(text) - from
		}
		yield(from, from+n)
		from += n + 1
	}
}

// maxMargin is the maximum number of digits of a line number or offset.
const maxMargin = 16

// marginWidth returns the length of the line number or the offset at the start of line, with the
// characters before and after it: `  12<tab>`, `12:`, `00000010: `, `0000020 `, `[3] `, `  7 │ `. It is 0
// if there is none.
func marginWidth(line string) int {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	if i < len(line) && (line[i] == '[' || line[i] == '(') {
		i++
	}
	if strings.HasPrefix(line[i:], "0x") {
		i += 2
	}
	start := i
	for i < len(line) && isHexDigit(line[i]) {
		i++
	}
	if i == start || i-start > maxMargin || i == len(line) {
		return 0
	}
	r, size := utf8.DecodeRuneInString(line[i:])
	if !strings.ContainsRune(" \t:|)]>.,-→│", r) {
		return 0
	}
	return i + size
}

// isHexDigit reports whether c is a hexadecimal digit.
func isHexDigit(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 6 }

// hexValue returns the value of the hexadecimal digit c.
func hexValue(c byte) byte {
	if c-'0' < 10 {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// addDecoded adds text[i:end] with its escapes decoded: those of URLs, HTML, JSON and programming
// languages. Escapes of line breaks and the like are left out.
func (v *view) addDecoded(text string, i, end int) {
	for i < end {
		switch c := text[i]; c {
		case '\\', '%', '&':
			if r, n := decodeEscape(text[i:end]); n > 0 {
				v.add(r, i, i+n)
				i += n
				continue
			}
		default:
			v.add(c, i, i+1)
		}
		i++
	}
}

// decodeEscape returns the byte that the escape at the start of s stands for, and the length of the
// escape; 0 if there is none. The byte is 0 for what is not compared.
func decodeEscape(s string) (c byte, n int) {
	switch {
	case s[0] == '%':
		return decodeDigits(s, 1, 2, 16)
	case s[0] == '&':
		return decodeEntity(s)
	case len(s) < 2:
		return 0, 0
	}
	switch s[1] {
	case 'x':
		return decodeDigits(s, 2, 2, 16)
	case 'u':
		return decodeDigits(s, 2, 4, 16)
	case 'U':
		return decodeDigits(s, 2, 8, 16)
	case 'n', 'r', 't', 'f', 'v', 'b', 'a':
		return 0, 2
	case '0', '1', '2', '3':
		return decodeDigits(s, 1, 3, 8)
	case '\\': // the escape of an escape
		return 0, 1
	}
	return 0, 0
}

// decodeDigits returns the byte that the digits s[at:at+count] stand for, and the length of s up to
// their end; 0 if they are not digits of the base.
func decodeDigits(s string, at, count, base int) (c byte, n int) {
	if len(s) < at+count {
		return 0, 0
	}
	sum := 0
	for _, d := range []byte(s[at : at+count]) {
		if !isHexDigit(d) || int(hexValue(d)) >= base {
			return 0, 0
		}
		sum = sum*base + int(hexValue(d))
	}
	if sum >= 0x80 {
		sum = 0
	}
	return byte(sum), at + count
}

// decodeEntity returns the byte that the HTML entity at the start of s stands for, and its length; 0 if
// there is none.
func decodeEntity(s string) (c byte, n int) {
	end := strings.IndexByte(s[:min(len(s), 10)], ';')
	if end < 2 {
		return 0, 0
	}
	body, base := s[1:end], 10
	if body[0] != '#' {
		return 0, end + 1 // punctuation, which is not compared
	}
	if body = body[1:]; body != "" && body[0]|0x20 == 'x' {
		body, base = body[1:], 16
	}
	if body == "" || len(body) > 4 {
		return 0, 0
	}
	if c, n = decodeDigits(body, 0, len(body), base); n == 0 {
		return 0, 0
	}
	return c, end + 1
}
