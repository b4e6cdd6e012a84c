package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

func decodeHex(s string) (string, bool) {
	b := make([]byte, 0, len(s)/2)
	high := -1
	for i := 0; i < len(s); i++ {
		d := hexDigit(s[i])
		if d < 0 {
			if s[i] == ' ' {
				continue
			}
			return "", false
		}
		if high < 0 {
			high = d
			continue
		}
		b = append(b, byte(high<<4|d))
		high = -1
	}
	return string(b), true
}

func decodeURL(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if h, l := hexDigit(s[i+1]), hexDigit(s[i+2]); h >= 0 && l >= 0 {
				b = append(b, byte(h<<4|l))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// packed is pack and unpack of perl and ruby, for the few shapes that hide text:
// H* and c* and u and m.
func packed(o op, s value, args []value) value {
	shape, data := s, positional(args, 1, "")
	if o == opUnpack || s.form == list {
		shape, data = positional(args, 0, ""), s
		if s.form == text && len(args) > 1 { // unpack("H*", x)
			shape, data = args[0], args[1]
		}
	}
	if data.form == list && len(data.items) == 1 && data.items[0].form == text && !data.items[0].num { // ["6869"].pack("H*")
		data = data.items[0]
	}
	out, ok := "", false
	switch letter := strings.TrimRight(shape.text, "*0123456789"); {
	case letter == "H" && data.form == text && o == opPack:
		out, ok = decodeHex(data.text)
	case letter == "m" && data.form == text && o == opUnpack:
		out, ok = facts.Base64(data.text)
	case facts.InList("c C U W a A", letter) && o == opPack:
		from := args
		if data.form == list {
			from = data.items
		} else if len(args) > 1 {
			from = args[1:]
		}
		out, ok = packedBytes(from)
	}
	if !ok {
		return value{taint: s.taint}
	}
	return value{form: text, text: out, taint: s.taint}
}

// packedBytes is the text of character numbers and texts.
func packedBytes(from []value) (string, bool) {
	var b []byte
	for i := range from {
		n, err := strconv.Atoi(from[i].text)
		switch {
		case err == nil:
			b = appendRune(b, rune(n))
		case from[i].form == text:
			b = append(b, from[i].text...)
		default:
			return "", false
		}
	}
	return string(b), true
}
