package rawjson

import "bytes"

// The functions of this file step over text that passed Check, so they look
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
