package rawjson

import "bytes"

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
		if !ok || !fn(name(key), val) {
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
		if spells(k, key) {
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

// Kind tells what val is by its first byte that is not white space: '{' an
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
