package rawjson

import (
	"bytes"
	"unicode/utf8"
)

// PortableEscapes returns the same JSON with no escapes but \" and \uXXXX, and none for printable
// characters. It is for JSON that is passed to programs: echo of many shells expands \n, \t and \\,
// which breaks the JSON, and text tools search for words as they are written. Half a surrogate pair,
// which some parsers reject, becomes U+FFFD, as in [Text]. If b has no backslash, it returns b itself;
// it never writes to b.
func PortableEscapes(b []byte) []byte { return portableEscapes(b, '"') }

// PortableEscapesWithoutQuotes is PortableEscapes with \u0022 in place of \", for programs that end a
// string at the first quote.
func PortableEscapesWithoutQuotes(b []byte) []byte { return portableEscapes(b, 0) }

// portableEscapes replaces escapes. If quote is '"', it writes a quote as \", and otherwise as \u0022.
func portableEscapes(b []byte, quote rune) []byte {
	n := bytes.IndexByte(b, '\\')
	if n < 0 {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8+16)
	for ; n >= 0; n = bytes.IndexByte(b, '\\') {
		out = append(out, b[:n]...)
		c, size := decodeEscape(b[n:])
		out = appendPortable(out, c, quote)
		b = b[n+size:]
	}
	return append(out, b...)
}

// appendPortable appends c, escaped as portableEscapes requires.
func appendPortable(out []byte, c, quote rune) []byte {
	switch {
	case c == '"' && quote == '"':
		return append(out, '\\', '"')
	case c == '"' || c == '\\' || c < ' ' || c >= 0x7f && c <= 0x9f || c == '\u2028' || c == '\u2029':
		return appendHexEscape(out, c)
	}
	return utf8.AppendRune(out, c) // writes U+FFFD for half a pair
}
