package rawjson

import (
	"encoding/hex"
	"strconv"
	"time"
	"unicode/utf8"
	"unsafe"
)

// An Object is the text of a JSON object that is being written. It begins with the opening brace:
// Object{'{'}. Its methods append members.
type Object []byte

// Key appends the key of a member. The caller must append the value.
func (o *Object) Key(name string) { *o = AppendKey(*o, name) }

// Open begins a member whose value is an object. [Object.Close] ends it.
func (o *Object) Open(name string) {
	o.Key(name)
	*o = append(*o, '{')
}

// Close ends the innermost open object.
func (o *Object) Close() { *o = append(*o, '}') }

// Raw appends a member whose value is the JSON text val. It does nothing if val is nil.
func (o *Object) Raw(name string, val []byte) {
	if val != nil {
		*o = AppendMember(*o, name, val)
	}
}

// Text appends a member whose value is a string, unless that is empty.
func (o *Object) Text(name, val string) {
	if val != "" {
		o.Key(name)
		*o = AppendString(*o, val)
	}
}

// Texts appends a member whose value is a list of strings, unless that is empty.
func (o *Object) Texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	o.Key(name)
	for i, s := range list {
		*o = append(*o, "[,"[min(i, 1)])
		*o = AppendString(*o, s)
	}
	*o = append(*o, ']')
}

// List appends a member whose value is a list of n values, each of which write appends. It does
// nothing if n is 0.
func (o *Object) List(name string, n int, write func(o *Object, i int)) {
	if n == 0 {
		return
	}
	o.Key(name)
	for i := range n {
		*o = append(*o, "[,"[min(i, 1)])
		write(o, i)
	}
	*o = append(*o, ']')
}

// Hex appends a member whose value is b as a string of hexadecimal digits.
func (o *Object) Hex(name string, b []byte) {
	o.Key(name)
	*o = append(hex.AppendEncode(append(*o, '"'), b), '"')
}

// Int appends a member whose value is a number.
func (o *Object) Int(name string, n int) {
	o.Key(name)
	*o = strconv.AppendInt(*o, int64(n), 10)
}

// Millis appends a member whose value is d in milliseconds, rounded to microseconds.
func (o *Object) Millis(name string, d time.Duration) {
	o.Key(name)
	*o = strconv.AppendFloat(*o, float64(d.Round(time.Microsecond))/float64(time.Millisecond), 'f', -1, 64)
}

// Flag appends a member whose value is true. It does nothing if on is false.
func (o *Object) Flag(name string, on bool) {
	if on {
		o.Key(name)
		*o = append(*o, "true"...)
	}
}

// AppendMember appends a member, and a comma before it if needed, to an object that dst has opened and
// not yet closed. val is JSON text.
func AppendMember(dst []byte, key string, val []byte) []byte {
	return append(AppendKey(dst, key), val...)
}

// AppendKey appends a key and its colon as AppendMember does, without the value.
func AppendKey(dst []byte, key string) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',')
	}
	return append(AppendString(dst, key), ':')
}

// Quote returns s as a JSON string; see AppendString.
func Quote(s string) []byte {
	return AppendString(make([]byte, 0, len(s)+2), s)
}

// AppendString appends s to dst as a JSON string. It escapes quotes, backslashes, control characters
// below U+0020, U+2028 and U+2029, and writes \ufffd for a byte that is not valid UTF-8. It keeps
// everything else, including '<', '>' and '&'. The result always passes Check.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	kept := 0
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	for i := skipPlain(b, 0); i < len(s); i = skipPlain(b, i) {
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

// needsEscape reports whether AppendString must escape c, which was decoded from size bytes.
func needsEscape(c rune, size int) bool {
	switch {
	case c < utf8.RuneSelf:
		return c < ' ' || c == '"' || c == '\\'
	case c == utf8.RuneError:
		return size == 1
	}
	return c == '\u2028' || c == '\u2029'
}

// appendEscape appends the escape for c.
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
	return appendHexEscape(dst, c)
}

// appendHexEscape appends c as a \uXXXX escape.
func appendHexEscape(dst []byte, c rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15])
}
