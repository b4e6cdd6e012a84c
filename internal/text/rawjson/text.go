package rawjson

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Text returns the text of a JSON string, half a surrogate pair becoming
// U+FFFD. It reports false when val is not a string.
func Text(val []byte) (string, bool) {
	val = trim(val)
	if len(val) < 2 || val[0] != '"' || stringEnd(val, 1) != len(val)-1 {
		return "", false
	}
	return decode(val[1 : len(val)-1]), true
}

// TextAt returns the text of the string whose opening quote is at i of a valid
// document, and the offset after it.
func TextAt(b []byte, i int) (string, int) {
	end := stringEnd(b, i+1)
	return decode(b[i+1 : end]), end + 1
}

// Unescape returns the text of a string as spelt between its quotes, without a copy where
// no escape is in it.
func Unescape(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return decodeEscaped(raw)
}

// decode is Unescape for bytes, of which it keeps none.
func decode(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	return decodeEscaped(view(raw))
}

// view is a text that lies where the bytes do: it is for those who are done with it
// before anyone changes them.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// name is decode without a copy where there need not be one: a spelling
// without escapes is its own text and is returned itself.
func name(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return []byte(decodeEscaped(view(raw)))
}

func decodeEscaped(raw string) string {
	var s strings.Builder
	s.Grow(len(raw)) // no escape is shorter than what it means
	for {
		n := strings.IndexByte(raw, '\\')
		if n < 0 {
			s.WriteString(raw)
			return s.String()
		}
		s.WriteString(raw[:n])
		raw = raw[n:]
		for len(raw) > 1 && raw[0] == '\\' { // new lines and tabs come in rows
			c := short(raw[1])
			if c == 0 {
				r, size := escape(raw)
				s.WriteRune(r) // makes U+FFFD of half a pair
				raw = raw[size:]
				continue
			}
			s.WriteByte(c)
			raw = raw[2:]
		}
		if len(raw) == 1 && raw[0] == '\\' {
			s.WriteRune(utf8.RuneError)
			raw = ""
		}
	}
}

// short returns what a backslash with c behind it means, 0 for a longer escape and for
// none.
func short(c byte) byte { return shorts[c] }

var shorts = [256]byte{'n': '\n', 't': '\t', '"': '"', '\\': '\\', '/': '/', 'r': '\r', 'b': '\b', 'f': '\f'}

// escape returns what the escape at the start of b means and its length. Half
// a surrogate pair is returned as it is. A broken escape is one U+FFFD.
func escape[T []byte | string](b T) (rune, int) {
	if len(b) < 2 {
		return utf8.RuneError, len(b)
	}
	if c := short(b[1]); c != 0 {
		return rune(c), 2
	}
	r, ok := hexEscape(b)
	if !ok {
		return utf8.RuneError, 1
	}
	if utf16.IsSurrogate(r) {
		low, _ := hexEscape(b[6:])
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6
}

// hexEscape reads the \uXXXX that b starts with.
func hexEscape[T []byte | string](b T) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for i := 2; i < 6; i++ {
		d, ok := hexDigit(b[i])
		if !ok {
			return 0, false
		}
		r = r<<4 | d
	}
	return r, true
}

// spells reports whether raw, the spelling of a string between its quotes,
// means s.
func spells(raw []byte, s string) bool {
	if len(raw) <= len(s) { // an escape is longer than what it means
		return string(raw) == s && bytes.IndexByte(raw, '\\') < 0
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return false
	}
	for len(raw) > 0 {
		r, size := unit(raw)
		var buf [utf8.UTFMax]byte
		n := utf8.EncodeRune(buf[:], r)
		if len(s) < n || s[:n] != string(buf[:n]) {
			return false
		}
		raw, s = raw[size:], s[n:]
	}
	return s == ""
}

// sameText reports whether two spellings mean the same string. It is strict
// about half pairs, which differ from U+FFFD and from one another, because
// other parsers keep them apart.
func sameText(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	for len(a) > 0 && len(b) > 0 {
		ra, na := unit(a)
		rb, nb := unit(b)
		if ra != rb {
			return false
		}
		a, b = a[na:], b[nb:]
	}
	return len(a) == len(b)
}

// unit returns the character or escape that raw, which is not empty, starts
// with.
func unit(raw []byte) (rune, int) {
	if raw[0] == '\\' {
		return escape(raw)
	}
	return utf8.DecodeRune(raw)
}

// AppendMember appends a member, and the comma before it, to an object that
// dst has opened and not yet closed. The value is JSON already.
func AppendMember(dst []byte, key string, val []byte) []byte {
	return append(AppendKey(dst, key), val...)
}

// AppendKey is AppendMember up to the value.
func AppendKey(dst []byte, key string) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',')
	}
	return append(AppendString(dst, key), ':')
}

// Quote returns s as a JSON string. See AppendString.
func Quote(s string) []byte {
	return AppendString(make([]byte, 0, len(s)+2), s)
}

// AppendString appends s to dst as a JSON string. Quotes, backslashes, control
// characters below U+0020 and U+2028 and U+2029 are escaped, a byte that is
// not UTF-8 becomes U+FFFD (escaped), everything else is kept, '<', '>' and
// '&' included. The result always passes Check.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	kept := 0
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	for i := plainRun(b, 0); i < len(s); i = plainRun(b, i) {
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(s[i:])
		}
		if needsEscape(c, size) {
			dst = append(dst, s[kept:i]...)
			dst = appendEscape(dst, c)
			kept = i + size
		}
		i += size
	}
	dst = append(dst, s[kept:]...)
	return append(dst, '"')
}

// needsEscape reports whether AppendString must not write c as it is; size is
// the number of bytes c was read from.
func needsEscape(c rune, size int) bool {
	switch {
	case c < utf8.RuneSelf:
		return c < ' ' || c == '"' || c == '\\'
	case c == utf8.RuneError:
		return size == 1
	}
	return c == '\u2028' || c == '\u2029'
}

func appendEscape(dst []byte, c rune) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', byte(c))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return appendHex(dst, c)
}

func appendHex(dst []byte, c rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15])
}

// unquote returns what stands between the quotes of a string token.
func unquote(token []byte) []byte {
	return token[1 : len(token)-1]
}
