package rawjson

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Each calls fn for the members of an object in order, duplicate keys
// included, with the key decoded and the value as it is spelt. It ends when fn
// returns false. A value that is not an object gets no calls.
func Each(obj []byte, fn func(key string, val []byte) bool) {
	c := enter(obj, '{')
	for {
		key, val, ok := c.member()
		if !ok || !fn(decode(key), val) {
			return
		}
	}
}

// EachRaw is Each without a string for every key: the key is a part of obj, or
// of its own where it is spelt with escapes, and must not be changed.
func EachRaw(obj []byte, fn func(key, val []byte) bool) {
	c := enter(obj, '{')
	for {
		key, val, ok := c.member()
		if !ok || !fn(decodeKey(key), val) {
			return
		}
	}
}

// Get returns the value of a key of an object: the last one when the key
// occurs more than once, so it always reads the whole object. It reports false
// when there is none or obj is not an object. It does not allocate.
func Get(obj []byte, key string) ([]byte, bool) {
	var last []byte
	c := enter(obj, '{')
	for {
		k, val, ok := c.member()
		if !ok {
			return last, last != nil
		}
		if isSpellingOf(k, key) {
			last = val
		}
	}
}

// GetText returns the string that an object has under a key, "" when it has none.
func GetText(obj []byte, key string) string {
	val, _ := Get(obj, key)
	s, _ := Text(val)
	return s
}

// Lookup follows path into val and returns what it finds there. A step into an
// object is a key, as for Get; a step into an array is the element's index in
// decimal, without sign or leading zeros. An empty path finds val itself. It
// does not allocate.
func Lookup(obj []byte, path ...string) ([]byte, bool) {
	val := trim(obj)
	for _, step := range path {
		var ok bool
		if Kind(val) == '[' {
			val, ok = element(val, step)
		} else {
			val, ok = Get(val, step)
		}
		if !ok {
			return nil, false
		}
	}
	return val, len(val) > 0
}

// element returns the element of arr whose index is written in step.
func element(arr []byte, step string) ([]byte, bool) {
	left, ok := parseIndex(step)
	if !ok || left >= len(arr) {
		return nil, false
	}
	c := enter(arr, '[')
	for {
		val, ok := c.value()
		if !ok || left == 0 {
			return val, ok
		}
		left--
	}
}

// parseIndex reads an array index. Only the canonical spelling counts, so that
// no two paths name the same element.
func parseIndex(s string) (int, bool) {
	if s == "" || len(s) > 9 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// Elements calls fn for the elements of an array in order. It ends when fn
// returns false. A value that is not an array gets no calls.
func Elements(arr []byte, fn func(i int, val []byte) bool) {
	c := enter(arr, '[')
	for i := 0; ; i++ {
		val, ok := c.value()
		if !ok || !fn(i, val) {
			return
		}
	}
}

// Kind returns what val is by its first byte that is not white space: '{' an
// object, '[' an array, '"' a string, '0' a number, 'b' true or false, 'n'
// null, and 0 nothing that could be a value.
func Kind(val []byte) byte {
	i := skipSpace(val, 0)
	if i >= len(val) {
		return 0
	}
	switch c := val[i]; c {
	case '{', '[', '"', 'n':
		return c
	case 't', 'f':
		return 'b'
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// Strings calls fn for every string in val that is a value and not a key,
// depth first and in order, decoded. Values that a later duplicate key
// overrules are among them: who searches a payload wants to see those as well.
// It ends when fn returns false.
func Strings(val []byte, fn func(s string) bool) {
	eachString(val, func(raw []byte, key bool) bool { return key || fn(decode(raw)) })
}

// Names is Strings for the keys.
func Names(val []byte, fn func(s string) bool) {
	eachString(val, func(raw []byte, key bool) bool { return !key || fn(decode(raw)) })
}

// eachString calls fn for the strings in val, as they are spelt between their quotes.
func eachString(val []byte, fn func(raw []byte, key bool) bool) {
	for i := 0; ; {
		n := bytes.IndexByte(val[i:], '"')
		if n < 0 {
			return
		}
		start := i + n + 1
		end := stringEnd(val, start)
		if end < 0 {
			return
		}
		i = skipSpace(val, end+1)
		if !fn(val[start:end], i < len(val) && val[i] == ':') { // only a key has a colon behind it
			return
		}
	}
}

// Compact appends val to dst without the white space between its tokens. The
// tokens stay byte for byte.
func Compact(dst, val []byte) []byte {
	for i := 0; i < len(val); i++ {
		if val[i] == '"' {
			end := stringEnd(val, i+1)
			if end < 0 {
				return append(dst, val[i:]...)
			}
			dst = append(dst, val[i:end+1]...)
			i = end
		} else if !isSpace(val[i]) {
			dst = append(dst, val[i])
		}
	}
	return dst
}

// The functions below step over text that passed Check, so they look
// for the end of a thing and not for its faults. On other text they still move
// forward only, and report what has no end with -1.

// skipSpace returns the offset of the first byte from i on that is not white
// space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t'
}

// trim returns b without the white space around it.
func trim(b []byte) []byte {
	end := len(b)
	for end > 0 && isSpace(b[end-1]) {
		end--
	}
	return b[min(skipSpace(b, 0), end):end:end]
}

// stringEnd returns the offset of the closing quote of the string whose
// opening quote is just before i. A quote is escaped when an odd number of
// backslashes stands before it; the count never goes back beyond the quote
// found before, so the whole is linear.
func stringEnd(b []byte, i int) int {
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		k := end
		for k > i && b[k-1] == '\\' {
			k--
		}
		if (end-k)&1 == 0 {
			return end
		}
		i = end + 1
	}
}

// valueEnd returns the offset after the value that starts at i.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		if end := stringEnd(b, i+1); end >= 0 {
			return end + 1
		}
		return -1
	case '{', '[':
		return containerEnd(b, i)
	}
	return plainEnd(b, i)
}

// containerEnd returns the offset after the array or object that starts at i.
// Counting brackets is enough, since Check saw to it that they pair up.
func containerEnd(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			if i = stringEnd(b, i+1); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// plainEnd returns the offset after the number or literal that starts at i.
func plainEnd(b []byte, i int) int {
	for k := i; ; k++ {
		if k < len(b) {
			switch b[k] {
			case ' ', '\n', '\r', '\t', ',', ':', '"', '[', ']', '{', '}':
			default:
				continue
			}
		}
		if k == i {
			return -1
		}
		return k
	}
}

// cursor walks the members of an object or the elements of an array.
type cursor struct {
	b []byte
	i int // before the next member or element, or before the comma leading to it
}

// enter returns a cursor inside the container that b starts with, provided its
// bracket is the one given; otherwise a cursor that finds nothing.
func enter(b []byte, bracket byte) cursor {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != bracket {
		return cursor{}
	}
	return cursor{b, i + 1}
}

// value returns the next value, the one after a comma if there is one.
func (c *cursor) value() ([]byte, bool) {
	start := skipSpace(c.b, c.i)
	if start < len(c.b) && c.b[start] == ',' {
		start = skipSpace(c.b, start+1)
	}
	return c.take(start)
}

// member returns the next key, as spelt between its quotes, and its value.
func (c *cursor) member() (key, val []byte, ok bool) {
	key, ok = c.value()
	if !ok || key[0] != '"' {
		return nil, nil, false
	}
	colon := skipSpace(c.b, c.i)
	if colon >= len(c.b) || c.b[colon] != ':' {
		return nil, nil, false
	}
	val, ok = c.take(skipSpace(c.b, colon+1))
	return unquote(key), val, ok
}

// take returns the value that starts at start, never an empty one, and moves
// the cursor behind it.
func (c *cursor) take(start int) ([]byte, bool) {
	end := valueEnd(c.b, start)
	if end < 0 {
		return nil, false
	}
	c.i = end
	return c.b[start:end:end], true
}

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
	return decodeEscaped(stringView(raw))
}

// stringView returns a string that shares the bytes of b. It must not be used after b changes.
func stringView(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// decodeKey is decode without a copy where none is needed: a spelling without escapes is its own text
// and is returned itself.
func decodeKey(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return []byte(decodeEscaped(stringView(raw)))
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

// isSpellingOf reports whether raw, the spelling of a string between its quotes, means s.
func isSpellingOf(raw []byte, s string) bool {
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

// hexDigit returns the value of a hexadecimal digit.
func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// unquote returns what stands between the quotes of a string token.
func unquote(token []byte) []byte {
	return token[1 : len(token)-1]
}
