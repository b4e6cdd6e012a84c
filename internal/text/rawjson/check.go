// Package rawjson reads and patches JSON text without decoding it into Go
// values, so that numbers, key order and spelling survive byte for byte.
//
// The input is taken to be hostile. [Check] is the gate: it accepts exactly
// the texts of RFC 8259 that are valid UTF-8 and nested at most [MaxDepth]
// deep. The reading functions expect a text that passed the gate. On any other
// bytes they stay in bounds, finish in linear time and never panic, but what
// they answer is unspecified.
//
// Keys are case-sensitive and compared after decoding. When a key occurs more
// than once in an object the last one counts, as it does for JavaScript and
// encoding/json. Half a surrogate pair decodes to U+FFFD, so two keys that
// differ only in such halves are one key here, as they are for encoding/json.
//
// Values handed out are slices of the argument, trimmed of white space and
// capped, so that appending to one never writes into the document.
package rawjson

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how many arrays and objects may be open at once.
const MaxDepth = 512

// ErrDepth is what errors.Is finds in the error for a value nested deeper than
// MaxDepth.
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

// A SyntaxError holds at which byte a text stops being acceptable, and why.
// Offset is the length of the text when it merely ends too early.
type SyntaxError struct {
	Offset int
	Msg    string
}

func (e *SyntaxError) Error() string {
	return "invalid json at byte " + strconv.Itoa(e.Offset) + ": " + e.Msg
}

// Unwrap gives ErrDepth for a value that is nested too deep, otherwise nil.
func (e *SyntaxError) Unwrap() error {
	if e.Msg == msgDepth {
		return ErrDepth
	}
	return nil
}

// Check reports whether b is exactly one JSON value (RFC 8259) in valid UTF-8,
// nested at most MaxDepth deep, with nothing but white space around it. A
// refusal is a *SyntaxError; errors.Is(err, ErrDepth) singles out depth. It
// takes linear time and constant memory, and stops at the first fault.
func Check(b []byte) error {
	c := checker{b: b}
	if at, ok := c.run(); !ok {
		return &SyntaxError{Offset: at, Msg: c.msg}
	}
	return nil
}

// CheckObject is Check for a text that must be an object. It refuses another
// kind of value at its first byte, without reading on.
func CheckObject(b []byte) error {
	if k := Kind(b); k != '{' && k != 0 {
		return &SyntaxError{Offset: skipSpace(b, 0), Msg: msgNotObject}
	}
	return Check(b)
}

// checker is a pushdown automaton. Its stack is one bit per open container,
// which is all that must be remembered and cannot be made to grow.
type checker struct {
	b       []byte
	msg     string
	depth   int
	objects [MaxDepth / 64]uint64
}

// fail records why the text is refused and returns where.
func (c *checker) fail(at int, msg string) (int, bool) {
	c.msg = msg
	return at, false
}

// failUnlessEnded is fail, except that a text that ended early is reported as such.
func (c *checker) failUnlessEnded(at int, msg string) (int, bool) {
	if at >= len(c.b) {
		return c.fail(len(c.b), msgEnd)
	}
	return c.fail(at, msg)
}

// run returns the length of the text, or the offset of its fault and false.
func (c *checker) run() (int, bool) {
	i, ok, more := skipSpace(c.b, 0), true, true
	for more {
		if i < len(c.b) && (c.b[i] == '{' || c.b[i] == '[') {
			var entered bool
			if i, entered, ok = c.open(i); !ok {
				return i, false
			}
			if entered {
				continue
			}
		} else if i, ok = c.scalar(i); !ok {
			return i, false
		}
		if i, more, ok = c.after(i); !ok {
			return i, false
		}
	}
	return i, true
}

// open enters the container that starts at i and returns the start of its
// first value. An empty container is stepped over instead: entered is false.
func (c *checker) open(i int) (next int, entered, ok bool) {
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
		i, ok = c.name(i)
		return i, true, ok
	}
	if i < len(c.b) && c.b[i] == ']' {
		return i + 1, false, true
	}
	c.objects[c.depth>>6] &^= 1 << (c.depth & 63)
	c.depth++
	return i, true, true
}

// after takes what follows a value: it closes containers, and returns the
// start of the next value, or more false at the end of the text.
func (c *checker) after(i int) (next int, more, ok bool) {
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
				i, ok = c.name(i)
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

// name takes a key and its colon, and returns the start of the value.
func (c *checker) name(i int) (int, bool) {
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

// scalar takes a value that is no container, and returns its end.
func (c *checker) scalar(i int) (int, bool) {
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

// The functions below take one token. They return the offset after it
// and "", or the offset of the fault (len(b) for a text that ends) and why.

// checkString takes a string whose opening quote is just before i.
func checkString(b []byte, i int) (int, string) {
	for {
		i = plainRun(b, i)
		if i >= len(b) {
			return len(b), msgEnd
		}
		from := i
		for i+1 < len(b) && b[i] == '\\' && short(b[i+1]) != 0 { // new lines and tabs come in rows
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
			end := wideRun(b, i)
			if !utf8.Valid(b[i:end]) {
				return i + validLen(b[i:end]), msgUTF8
			}
			i = end
		}
	}
}

// plainRun returns the offset of the first byte from i on that ends a string
// or needs a closer look: a quote, a backslash, a control character, a byte
// outside ASCII. Eight bytes are judged at a time, since the bulk of a payload
// is plain text in strings.
func plainRun(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// wideRun returns the offset of the first ASCII byte from i on.
func wideRun(b []byte, i int) int {
	for i < len(b) && b[i] >= utf8.RuneSelf {
		i++
	}
	return i
}

// validLen returns how many bytes at the start of b are valid UTF-8.
func validLen(b []byte) int {
	for i := 0; ; {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n < 2 {
			return i
		}
		i += n
	}
}

// special sets the top bit of each byte of w that plainRun stops at. Borrows
// may set it for bytes above such a byte, so only the lowest bit set counts.
func special(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	m := (quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w | w
	return m & tops
}

// checkEscape takes an escape whose backslash is at i.
func checkEscape(b []byte, i int) (int, string) {
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

// checkNumber takes a number whose first byte, a sign or a digit, is at i.
func checkNumber(b []byte, i int) (int, string) {
	if b[i] == '-' {
		i++
	}
	end := digits(b, i)
	if end > i && b[i] == '0' {
		end = i + 1 // a zero stands alone: what follows is not its digit
	}
	if end == i {
		return i, msgNumber
	}
	i = end
	if i < len(b) && b[i] == '.' {
		if end = digits(b, i+1); end == i+1 {
			return end, msgNumber
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if end = digits(b, i); end == i {
			return end, msgNumber
		}
		i = end
	}
	return i, ""
}

// digits returns the end of the run of digits at i.
func digits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// checkLiteral takes the word want, whose first letter is at i.
func checkLiteral(b []byte, i int, want string) (int, string) {
	for k := 1; k < len(want); k++ {
		if i+k >= len(b) || b[i+k] != want[k] {
			return i + k, msgLiteral
		}
	}
	return i + len(want), ""
}
