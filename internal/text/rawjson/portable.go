package rawjson

import (
	"bytes"
	"unicode/utf8"
)

// Portable returns the same JSON with no escapes but \" and \uXXXX, and none for
// characters that can be seen. Programs get it: `echo` of many shells expands \n, \t
// and \\ and makes broken JSON of them, and text tools look for words as they are
// written. Half a surrogate pair, which some parsers give up on, is U+FFFD, as [Text]
// has it. Text without a backslash is returned itself; b is never written to.
func Portable(b []byte) []byte { return portable(b, '"') }

// PortableQuotes is Portable with \u0022 in place of \", for programs that take a
// string to end at the first quote.
func PortableQuotes(b []byte) []byte { return portable(b, 0) }

// portable writes the quote as it is behind a backslash, others by their numbers.
func portable(b []byte, quote rune) []byte {
	n := bytes.IndexByte(b, '\\')
	if n < 0 {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8+16)
	for ; n >= 0; n = bytes.IndexByte(b, '\\') {
		out = append(out, b[:n]...)
		c, size := escape(b[n:])
		out = appendPortable(out, c, quote)
		b = b[n+size:]
	}
	return append(out, b...)
}

func appendPortable(out []byte, c, quote rune) []byte {
	switch {
	case c == '"' && quote == '"':
		return append(out, '\\', '"')
	case c == '"' || c == '\\' || c < ' ' || c >= 0x7f && c <= 0x9f || c == '\u2028' || c == '\u2029':
		return appendHex(out, c)
	}
	return utf8.AppendRune(out, c) // makes U+FFFD of half a pair
}
