package rawjson

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Each calls fn for each member of an object in order, including duplicates, with the decoded key and
// the value as written. It stops when fn returns false. It does nothing if obj is not an object.
func Each(obj []byte, fn func(key string, val []byte) bool) {
	c := newCursor(obj, '{')
	for {
		key, val, ok := c.nextMember()
		if !ok || !fn(decodeString(key), val) {
			return
		}
	}
}

// EachRaw is Each without allocating a string for every key. The key is part of obj, or a copy if it
// has escapes; fn must not change it.
func EachRaw(obj []byte, fn func(key, val []byte) bool) {
	c := newCursor(obj, '{')
	for {
		key, val, ok := c.nextMember()
		if !ok || !fn(decodeKey(key), val) {
			return
		}
	}
}

// Get returns the value of a key of obj. If the key occurs more than once, it returns the last value,
// so it always reads the whole object. It reports false if the key is missing or obj is not an object.
// It does not allocate.
func Get(obj []byte, key string) ([]byte, bool) {
	var last []byte
	c := newCursor(obj, '{')
	for {
		k, val, ok := c.nextMember()
		if !ok {
			return last, last != nil
		}
		if isSpellingOf(k, key) {
			last = val
		}
	}
}

// GetText returns the string that obj has under key, or "" if there is none.
func GetText(obj []byte, key string) string {
	val, _ := Get(obj, key)
	s, _ := Text(val)
	return s
}

// Lookup follows path into obj and returns the value there. For an object, a step is a key, as for
// Get; for an array, it is the index of an element in decimal, without a sign or leading zeros. An
// empty path leads to obj itself. Lookup reports false if there is no value. It does not allocate.
func Lookup(obj []byte, path ...string) ([]byte, bool) {
	val := trimSpace(obj)
	for _, step := range path {
		var ok bool
		if Kind(val) == '[' {
			val, ok = elementAt(val, step)
		} else {
			val, ok = Get(val, step)
		}
		if !ok {
			return nil, false
		}
	}
	return val, len(val) > 0
}

// elementAt returns the element of arr whose index is written in step.
func elementAt(arr []byte, step string) ([]byte, bool) {
	left, ok := parseIndex(step)
	if !ok || left >= len(arr) {
		return nil, false
	}
	c := newCursor(arr, '[')
	for {
		val, ok := c.nextValue()
		if !ok || left == 0 {
			return val, ok
		}
		left--
	}
}

// parseIndex parses an array index. It accepts only the canonical spelling, so that no two paths lead
// to the same element.
func parseIndex(s string) (index int, ok bool) {
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

// Elements calls fn for each element of an array in order. It stops when fn returns false. It does
// nothing if arr is not an array.
func Elements(arr []byte, fn func(i int, val []byte) bool) {
	c := newCursor(arr, '[')
	for i := 0; ; i++ {
		val, ok := c.nextValue()
		if !ok || !fn(i, val) {
			return
		}
	}
}

// Kind returns the kind of val, which its first byte after white space determines: '{' for an object,
// '[' for an array, '"' for a string, '0' for a number, 'b' for true and false, 'n' for null, and 0 if
// no value can start with that byte.
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

// EachStringValue calls fn with every decoded string in val that is a value and not a key, depth
// first and in order. It includes values that a later duplicate key overrides, because a search of
// a payload must see those as well. It stops when fn returns false.
func EachStringValue(val []byte, fn func(s string) bool) {
	eachRawString(val, func(raw []byte, key bool) bool { return key || fn(decodeString(raw)) })
}

// EachKey is EachStringValue for the keys.
func EachKey(val []byte, fn func(s string) bool) {
	eachRawString(val, func(raw []byte, key bool) bool { return !key || fn(decodeString(raw)) })
}

// eachRawString calls fn with each string in val as written between its quotes, and whether it is a
// key.
func eachRawString(val []byte, fn func(raw []byte, key bool) bool) {
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
		if !fn(val[start:end], i < len(val) && val[i] == ':') { // only a key is followed by a colon
			return
		}
	}
}

// Compact appends val to dst without the white space between tokens. The tokens stay byte for byte.
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

// The functions below step over text that passed Check, so they find the ends of tokens and do not
// look for faults. In other text they still only move forward, and return -1 if a token has no end.

// skipSpace returns the offset of the first byte at or after i that is not white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t'
}

// trimSpace returns b without the white space around it.
func trimSpace(b []byte) []byte {
	end := len(b)
	for end > 0 && isSpace(b[end-1]) {
		end--
	}
	return b[min(skipSpace(b, 0), end):end:end]
}

// stringEnd returns the offset of the closing quote of the string whose opening quote is just before
// i, or -1. A quote is escaped if an odd number of backslashes precedes it. Backslashes are counted
// back at most to the quote found before, so that the time is linear.
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

// valueEnd returns the offset after the value that starts at i, or -1.
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

// containerEnd returns the offset after the array or object that starts at i, or -1. Counting brackets
// is enough, because Check ensures that they match.
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

// plainEnd returns the offset after the number or literal that starts at i, or -1.
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

// A cursor walks through the members of an object or the elements of an array.
type cursor struct {
	b []byte
	i int // the offset of the next member or element, or of white space or a comma before it
}

// newCursor returns a cursor inside the container at the start of b, if that starts with bracket.
// Otherwise it returns a cursor that finds nothing.
func newCursor(b []byte, bracket byte) cursor {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != bracket {
		return cursor{}
	}
	return cursor{b, i + 1}
}

// nextValue returns the next value, after a comma if there is one. It reports false at the end.
func (c *cursor) nextValue() ([]byte, bool) {
	start := skipSpace(c.b, c.i)
	if start < len(c.b) && c.b[start] == ',' {
		start = skipSpace(c.b, start+1)
	}
	return c.takeValue(start)
}

// nextMember returns the next key, as written between its quotes, and its value. It reports false at
// the end.
func (c *cursor) nextMember() (key, val []byte, ok bool) {
	key, ok = c.nextValue()
	if !ok || key[0] != '"' {
		return nil, nil, false
	}
	colon := skipSpace(c.b, c.i)
	if colon >= len(c.b) || c.b[colon] != ':' {
		return nil, nil, false
	}
	val, ok = c.takeValue(skipSpace(c.b, colon+1))
	return unquote(key), val, ok
}

// takeValue returns the value that starts at start, which is never empty, and moves the cursor behind
// it.
func (c *cursor) takeValue(start int) ([]byte, bool) {
	end := valueEnd(c.b, start)
	if end < 0 {
		return nil, false
	}
	c.i = end
	return c.b[start:end:end], true
}

// Text decodes a JSON string. Half a surrogate pair becomes U+FFFD. It reports false if val is not a
// string.
func Text(val []byte) (string, bool) {
	val = trimSpace(val)
	if len(val) < 2 || val[0] != '"' || stringEnd(val, 1) != len(val)-1 {
		return "", false
	}
	return decodeString(val[1 : len(val)-1]), true
}

// TextAt decodes the string whose opening quote is at offset i of a valid document, and returns the
// offset after it.
func TextAt(b []byte, i int) (text string, next int) {
	end := stringEnd(b, i+1)
	return decodeString(b[i+1 : end]), end + 1
}

// Unescape decodes a string as written between its quotes. It returns raw itself if there is no
// escape.
func Unescape(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return decodeEscaped(raw)
}

// decodeString is Unescape for bytes. The result does not share memory with raw.
func decodeString(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	return decodeEscaped(stringView(raw))
}

// stringView returns a string that shares the bytes of b. The string must not be used after b changes.
func stringView(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// decodeKey is decodeString without a copy if there is no escape: it then returns raw itself, and
// otherwise new bytes.
func decodeKey(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return []byte(decodeEscaped(stringView(raw)))
}

// decodeEscaped decodes raw, which has escapes.
func decodeEscaped(raw string) string {
	var s strings.Builder
	s.Grow(len(raw)) // an escape is never shorter than the decoded character
	for {
		n := strings.IndexByte(raw, '\\')
		if n < 0 {
			s.WriteString(raw)
			return s.String()
		}
		s.WriteString(raw[:n])
		raw = raw[n:]
		for len(raw) > 1 && raw[0] == '\\' { // escaped newlines and tabs often follow each other
			c := shortEscape(raw[1])
			if c == 0 {
				r, size := decodeEscape(raw)
				s.WriteRune(r) // writes U+FFFD for half a pair
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

// shortEscape returns the character that a backslash followed by c stands for, or 0 if that is not a
// short escape.
func shortEscape(c byte) byte { return shortEscapes[c] }

var shortEscapes = [256]byte{'n': '\n', 't': '\t', '"': '"', '\\': '\\', '/': '/', 'r': '\r', 'b': '\b', 'f': '\f'}

// decodeEscape returns the character that the escape at the start of b stands for, and the length of
// the escape. It returns half a surrogate pair as it is, and U+FFFD for a broken escape.
func decodeEscape[T []byte | string](b T) (rune, int) {
	if len(b) < 2 {
		return utf8.RuneError, len(b)
	}
	if c := shortEscape(b[1]); c != 0 {
		return rune(c), 2
	}
	r, ok := decodeHexEscape(b)
	if !ok {
		return utf8.RuneError, 1
	}
	if utf16.IsSurrogate(r) {
		low, _ := decodeHexEscape(b[6:])
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6
}

// decodeHexEscape decodes the \uXXXX escape at the start of b. It reports false if there is none.
func decodeHexEscape[T []byte | string](b T) (rune, bool) {
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

// isSpellingOf reports whether raw, a string as written between its quotes, decodes to s.
func isSpellingOf(raw []byte, s string) bool {
	if len(raw) <= len(s) { // an escape is longer than the decoded character
		return string(raw) == s && bytes.IndexByte(raw, '\\') < 0
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return false
	}
	for len(raw) > 0 {
		r, size := decodeChar(raw)
		var buf [utf8.UTFMax]byte
		n := utf8.EncodeRune(buf[:], r)
		if len(s) < n || s[:n] != string(buf[:n]) {
			return false
		}
		raw, s = raw[size:], s[n:]
	}
	return s == ""
}

// sameText reports whether a and b, strings as written between their quotes, are the same string. Half
// pairs differ from U+FFFD and from one another, because other parsers distinguish them.
func sameText(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	for len(a) > 0 && len(b) > 0 {
		ra, na := decodeChar(a)
		rb, nb := decodeChar(b)
		if ra != rb {
			return false
		}
		a, b = a[na:], b[nb:]
	}
	return len(a) == len(b)
}

// decodeChar returns the character or decoded escape at the start of raw, which is not empty, and its
// length in bytes.
func decodeChar(raw []byte) (rune, int) {
	if raw[0] == '\\' {
		return decodeEscape(raw)
	}
	return utf8.DecodeRune(raw)
}

// hexDigit returns the value of a hexadecimal digit. It reports false if c is not one.
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

// unquote returns the text between the quotes of a string token.
func unquote(token []byte) []byte {
	return token[1 : len(token)-1]
}
