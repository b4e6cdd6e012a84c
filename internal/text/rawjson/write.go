package rawjson

import (
	"encoding/hex"
	"strconv"
	"time"
	"unicode/utf8"
	"unsafe"
)

// An Object is a JSON object that is being written, from its opening brace on:
// Object{'{'}. Its methods append members; empty ones are left out.
type Object []byte

// Key appends a member's name; its value must follow.
func (o *Object) Key(name string) { *o = AppendKey(*o, name) }

// Open begins a member that is an object; Close ends it.
func (o *Object) Open(name string) {
	o.Key(name)
	*o = append(*o, '{')
}

// Close ends the object that was begun last.
func (o *Object) Close() { *o = append(*o, '}') }

// Raw appends a member that is JSON already; nil is left out.
func (o *Object) Raw(name string, val []byte) {
	if val != nil {
		*o = AppendMember(*o, name, val)
	}
}

// Text appends a string, unless it is empty.
func (o *Object) Text(name, val string) {
	if val != "" {
		o.Key(name)
		*o = AppendString(*o, val)
	}
}

// Texts appends a list of strings, unless it is empty.
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

// List appends a list of n values, each written by write, unless it is empty.
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

// Hex appends bytes in hex.
func (o *Object) Hex(name string, b []byte) {
	o.Key(name)
	*o = append(hex.AppendEncode(append(*o, '"'), b), '"')
}

// Int appends a number.
func (o *Object) Int(name string, n int) {
	o.Key(name)
	*o = strconv.AppendInt(*o, int64(n), 10)
}

// Millis appends a duration as a number of milliseconds, exact to the
// microsecond.
func (o *Object) Millis(name string, d time.Duration) {
	o.Key(name)
	*o = strconv.AppendFloat(*o, float64(d.Round(time.Microsecond))/float64(time.Millisecond), 'f', -1, 64)
}

// Flag appends true, or nothing.
func (o *Object) Flag(name string, on bool) {
	if on {
		o.Key(name)
		*o = append(*o, "true"...)
	}
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
