// Package rawjson reads and patches JSON text without decoding it into Go values, so that numbers, the
// order of keys and escapes stay byte for byte as they are.
//
// The input may be hostile. [Check] accepts exactly the texts of RFC 8259 that are valid UTF-8 and
// nested at most [MaxDepth] levels deep. The reading functions expect text that passed Check. For any
// other text they stay in bounds, finish in linear time and never panic, but their results are
// unspecified.
//
// Keys are case-sensitive and compared after decoding. If an object has the same key more than once,
// the last one counts, as in JavaScript and encoding/json. Half a surrogate pair decodes to U+FFFD, so
// two keys that differ only in such halves are the same key, as in encoding/json.
//
// The returned values are slices of the argument without surrounding white space. Their capacity is
// limited, so that appending to one never writes into the document.
package rawjson

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how many arrays and objects may be open at the same time.
const MaxDepth = 512

// ErrDepth is wrapped by the error for a value that is nested more than MaxDepth levels deep.
var ErrDepth = errors.New(msgDepth)

const (
	msgDepth     = "nested too deep"
	msgEnd       = "unexpected end"
	msgValue     = "expected a value"
	msgBOM       = "byte order mark before the value"
	msgTrailing  = "data after the value"
	msgName      = "expected a quoted key"
	msgColon     = "expected ':' after the key"
	msgObjectEnd = "expected ',' or '}'"
	msgArrayEnd  = "expected ',' or ']'"
	msgLiteral   = "misspelt literal"
	msgNumber    = "expected a digit"
	msgEscape    = "invalid escape"
	msgControl   = "unescaped control character in a string"
	msgUTF8      = "invalid utf-8"
	msgNotObject = "not an object"
)

// A SyntaxError describes why a text is not valid, and the offset of the first invalid byte. Offset is
// the length of the text if it ends too early.
type SyntaxError struct {
	Offset int
	Msg    string
}

func (e *SyntaxError) Error() string {
	return "invalid json at byte " + strconv.Itoa(e.Offset) + ": " + e.Msg
}

// Unwrap returns ErrDepth for a value that is nested too deeply, and nil otherwise.
func (e *SyntaxError) Unwrap() error {
	if e.Msg == msgDepth {
		return ErrDepth
	}
	return nil
}

// Check returns an error unless b is exactly one JSON value as defined by RFC 8259, in valid UTF-8,
// nested at most MaxDepth levels deep, with nothing but white space around it. The error is a
// *SyntaxError that describes the first fault; errors.Is(err, ErrDepth) reports whether that is the
// depth. Check needs linear time and constant memory.
func Check(b []byte) error {
	c := checker{b: b}
	if at, ok := c.checkText(); !ok {
		return &SyntaxError{Offset: at, Msg: c.msg}
	}
	return nil
}

// CheckObject is Check for a text that must be an object. It rejects another kind of value at its
// first byte, without reading on.
func CheckObject(b []byte) error {
	if k := Kind(b); k != '{' && k != 0 {
		return &SyntaxError{Offset: skipSpace(b, 0), Msg: msgNotObject}
	}
	return Check(b)
}

// A checker is a pushdown automaton. Its stack has one bit for each open container, so it cannot grow.
type checker struct {
	b       []byte
	msg     string
	depth   int
	objects [MaxDepth / 64]uint64
}

// fail records why the text is invalid, and returns the offset at and false.
func (c *checker) fail(at int, msg string) (offset int, ok bool) {
	c.msg = msg
	return at, false
}

// failUnlessEnded is fail, except that it reports msgEnd if the text ends before at.
func (c *checker) failUnlessEnded(at int, msg string) (offset int, ok bool) {
	if at >= len(c.b) {
		return c.fail(len(c.b), msgEnd)
	}
	return c.fail(at, msg)
}

// checkText returns the length of the text and true, or the offset of the first fault and false.
func (c *checker) checkText() (offset int, ok bool) {
	i, ok, more := skipSpace(c.b, 0), true, true
	for more {
		if i < len(c.b) && (c.b[i] == '{' || c.b[i] == '[') {
			var entered bool
			if i, entered, ok = c.enterContainer(i); !ok {
				return i, false
			}
			if entered {
				continue
			}
		} else if i, ok = c.checkScalar(i); !ok {
			return i, false
		}
		if i, more, ok = c.advance(i); !ok {
			return i, false
		}
	}
	return i, true
}

// enterContainer enters the container that starts at i and returns the offset of its first value. It
// steps over an empty container and returns the offset after it; entered is then false.
func (c *checker) enterContainer(i int) (next int, entered, ok bool) {
	if c.depth == MaxDepth {
		at, ok := c.fail(i, msgDepth)
		return at, false, ok
	}
	object := c.b[i] == '{'
	i = skipSpace(c.b, i+1)
	if object {
		if i < len(c.b) && c.b[i] == '}' {
			return i + 1, false, true
		}
		c.objects[c.depth>>6] |= 1 << (c.depth & 63)
		c.depth++
		i, ok = c.checkKey(i)
		return i, true, ok
	}
	if i < len(c.b) && c.b[i] == ']' {
		return i + 1, false, true
	}
	c.objects[c.depth>>6] &^= 1 << (c.depth & 63)
	c.depth++
	return i, true, true
}

// advance closes the containers that end at i and returns the offset of the next value. more is false
// at the end of the text.
func (c *checker) advance(i int) (next int, more, ok bool) {
	for {
		i = skipSpace(c.b, i)
		if c.depth == 0 {
			if i < len(c.b) {
				i, ok = c.fail(i, msgTrailing)
				return i, false, ok
			}
			return i, false, true
		}
		top := c.depth - 1
		closer, msg, object := byte(']'), msgArrayEnd, false
		if c.objects[top>>6]>>(top&63)&1 != 0 {
			closer, msg, object = '}', msgObjectEnd, true
		}
		switch {
		case i < len(c.b) && c.b[i] == ',':
			if i = skipSpace(c.b, i+1); object {
				i, ok = c.checkKey(i)
				return i, true, ok
			}
			return i, true, true
		case i < len(c.b) && c.b[i] == closer:
			c.depth = top
			i++
		default:
			i, ok = c.failUnlessEnded(i, msg)
			return i, false, ok
		}
	}
}

// checkKey checks the key at i and its colon, and returns the offset of the member's value.
func (c *checker) checkKey(i int) (next int, ok bool) {
	if i >= len(c.b) || c.b[i] != '"' {
		return c.failUnlessEnded(i, msgName)
	}
	i, msg := checkString(c.b, i+1)
	if msg != "" {
		return c.fail(i, msg)
	}
	if i = skipSpace(c.b, i); i >= len(c.b) || c.b[i] != ':' {
		return c.failUnlessEnded(i, msgColon)
	}
	return skipSpace(c.b, i+1), true
}

// checkScalar checks the value at i, which is not a container, and returns the offset after it.
func (c *checker) checkScalar(i int) (next int, ok bool) {
	if i >= len(c.b) {
		return c.fail(i, msgEnd)
	}
	var msg string
	switch ch := c.b[i]; {
	case ch == '"':
		i, msg = checkString(c.b, i+1)
	case ch == '-' || '0' <= ch && ch <= '9':
		i, msg = checkNumber(c.b, i)
	case ch == 't':
		i, msg = checkLiteral(c.b, i, "true")
	case ch == 'f':
		i, msg = checkLiteral(c.b, i, "false")
	case ch == 'n':
		i, msg = checkLiteral(c.b, i, "null")
	case i == 0 && len(c.b) > 2 && string(c.b[:3]) == "\xef\xbb\xbf":
		msg = msgBOM
	default:
		msg = msgValue
	}
	if msg != "" {
		return c.failUnlessEnded(i, msg)
	}
	return i, true
}

// Each of the functions below checks one token. It returns the offset after the token and "", or the
// offset of the fault, which is len(b) if the text ends too early, and a description of it.

// checkString checks the string whose opening quote is just before i.
func checkString(b []byte, i int) (next int, fault string) {
	for {
		i = skipPlain(b, i)
		if i >= len(b) {
			return len(b), msgEnd
		}
		from := i
		for i+1 < len(b) && b[i] == '\\' && shortEscape(b[i+1]) != 0 { // escaped newlines and tabs often follow each other
			i += 2
		}
		if i > from {
			continue
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, ""
		case c == '\\':
			var msg string
			if i, msg = checkEscape(b, i); msg != "" {
				return i, msg
			}
		case c < ' ':
			return i, msgControl
		default:
			end := skipNonASCII(b, i)
			if !utf8.Valid(b[i:end]) {
				return i + validLen(b[i:end]), msgUTF8
			}
			i = end
		}
	}
}

// skipPlain returns the offset of the first byte at or after i that ends a string or needs further
// checks: a quote, a backslash, a control character or a byte outside ASCII. It tests eight bytes at a
// time, because most of a payload is plain text in strings.
func skipPlain(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if m := markSpecialBytes(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// skipNonASCII returns the offset of the first ASCII byte at or after i.
func skipNonASCII(b []byte, i int) int {
	for i < len(b) && b[i] >= utf8.RuneSelf {
		i++
	}
	return i
}

// validLen returns how many bytes at the start of b are valid UTF-8. b must have an invalid byte.
func validLen(b []byte) int {
	for i := 0; ; {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n < 2 {
			return i
		}
		i += n
	}
}

// markSpecialBytes sets the top bit of each byte of w at which skipPlain stops. Because of borrows it
// may also set the top bit of bytes above such a byte, so only the lowest set bit counts.
func markSpecialBytes(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	m := (quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w | w
	return m & tops
}

// checkEscape checks the escape whose backslash is at i.
func checkEscape(b []byte, i int) (next int, fault string) {
	if i+1 >= len(b) {
		return len(b), msgEnd
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, ""
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if k >= len(b) {
				return len(b), msgEnd
			}
			if _, ok := hexDigit(b[k]); !ok {
				return k, msgEscape
			}
		}
		return i + 6, ""
	}
	return i + 1, msgEscape
}

// checkNumber checks the number at i, which starts with a sign or a digit.
func checkNumber(b []byte, i int) (next int, fault string) {
	if b[i] == '-' {
		i++
	}
	end := skipDigits(b, i)
	if end > i && b[i] == '0' {
		end = i + 1 // no digit may follow a leading zero
	}
	if end == i {
		return i, msgNumber
	}
	i = end
	if i < len(b) && b[i] == '.' {
		if end = skipDigits(b, i+1); end == i+1 {
			return end, msgNumber
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if end = skipDigits(b, i); end == i {
			return end, msgNumber
		}
		i = end
	}
	return i, ""
}

// skipDigits returns the offset of the first byte at or after i that is not a digit.
func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// checkLiteral checks that the literal at i, which has the first letter of want, is want.
func checkLiteral(b []byte, i int, want string) (next int, fault string) {
	for k := 1; k < len(want); k++ {
		if i+k >= len(b) || b[i+k] != want[k] {
			return i + k, msgLiteral
		}
	}
	return i + len(want), ""
}
