// Package tomldoc parses the part of TOML that the settings of agents need.
package tomldoc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Doc holds the parsed part of a TOML file: its tables with their positions, and the values in them.
// Parsing does not validate the whole file.
type Doc []Table

// A Table is a table, from its header to the next one. The first table has no header.
type Table struct {
	Path       []string
	Array      bool // [[path]]
	Start, End int  // offsets in the file; comments after the last value are not included
	Values     []Value
}

// A Value is a key with its value as written.
type Value struct {
	Key        []string
	Raw        string
	Start, End int // offsets of its lines
}

var errSyntax = errors.New("the file is not valid TOML")

// Get returns the value at keys as text, or "" if there is none.
func (d Doc) Get(keys ...string) string {
	for _, t := range d {
		if t.Array || len(t.Path) > len(keys) || !slices.Equal(t.Path, keys[:len(t.Path)]) {
			continue
		}
		if s, ok := Lookup(t.Values, keys[len(t.Path):]); ok {
			return s
		}
	}
	return ""
}

// Lookup returns the value at keys among the values of a table, including inline tables, as text. It
// reports false if there is none.
func Lookup(values []Value, keys []string) (string, bool) {
	for _, v := range values {
		if len(v.Key) > len(keys) || !slices.Equal(v.Key, keys[:len(v.Key)]) {
			continue
		}
		if len(v.Key) == len(keys) {
			return Unquote(v.Raw), true
		}
		if strings.HasPrefix(v.Raw, "{") {
			if s, ok := Lookup(parseInlineTable(v.Raw), keys[len(v.Key):]); ok {
				return s, true
			}
		}
	}
	return "", false
}

// Parse returns the tables of a file. The error has the line of the mistake.
func Parse(src []byte) (Doc, error) {
	doc := Doc{{}}
	loose := 0 // the end of the last header or value; comments after it may belong to the next table
	for at := 0; at < len(src); {
		line := lineEnd(src, at)
		text := bytes.TrimSpace(src[at:line])
		last := &doc[len(doc)-1]
		switch {
		case len(text) == 0 || text[0] == '#':
		case text[0] == '[':
			t, err := parseHeader(string(text))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(src[:at], []byte("\n")), err)
			}
			last.End = loose
			t.Start = at
			doc = append(doc, t)
			loose = line
		default:
			v, end, err := parseKeyValue(src, at)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(src[:at], []byte("\n")), err)
			}
			last.Values = append(last.Values, v)
			line, loose = end, end
		}
		at = line
	}
	doc[len(doc)-1].End = loose
	return doc, nil
}

// lineEnd returns the offset after the line that contains at.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// parseHeader parses the header of a table.
func parseHeader(line string) (Table, error) {
	var t Table
	line, t.Array = strings.CutPrefix(line, "[")
	if rest, ok := strings.CutPrefix(line, "["); ok && t.Array {
		line = rest
	} else {
		t.Array = false
	}
	path, rest, err := parseDottedKey(line)
	if err != nil || !strings.HasPrefix(rest, "]") {
		return t, fmt.Errorf("%w: expected the name of a table", errSyntax)
	}
	t.Path = path
	return t, nil
}

// parseDottedKey parses a dotted key at the start of s, and returns the rest.
func parseDottedKey(s string) (path []string, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " \t")
		var part string
		if s != "" && (s[0] == '"' || s[0] == '\'') {
			n := stringEnd(s)
			if n < 0 {
				return nil, "", errSyntax
			}
			part, s = Unquote(s[:n]), s[n:]
		} else {
			n := strings.IndexFunc(s, func(r rune) bool {
				return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
			})
			if n < 0 {
				n = len(s)
			}
			if n == 0 {
				return nil, "", errSyntax
			}
			part, s = s[:n], s[n:]
		}
		path = append(path, part)
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ".") {
			return path, s, nil
		}
		s = s[1:]
	}
}

// parseKeyValue parses the key with its value at offset at, which may span several lines. It returns
// the offset after them.
func parseKeyValue(src []byte, at int) (Value, int, error) {
	text := string(src[at:])
	key, rest, err := parseDottedKey(text)
	if err != nil || !strings.HasPrefix(rest, "=") {
		return Value{}, 0, fmt.Errorf("%w: expected a key with a value", errSyntax)
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	n := valueEnd(rest)
	if n <= 0 {
		return Value{}, 0, fmt.Errorf("%w: expected a value", errSyntax)
	}
	end := lineEnd(src, at+len(text)-len(rest)+n)
	return Value{Key: key, Raw: strings.TrimSpace(rest[:n]), Start: at, End: end}, end, nil
}

// valueEnd returns the offset at which the value at the start of s ends: at the end of its line,
// before a comment, or before a comma or bracket that is not part of it. It returns -1 if the value
// does not end.
func valueEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			n := stringEnd(s[i:])
			if n < 0 {
				return -1
			}
			i += n
			continue
		case c == '[' || c == '{':
			depth++
		case (c == ']' || c == '}') && depth == 0, (c == ',' || c == '\n' || c == '#') && depth == 0:
			return i
		case c == ']' || c == '}':
			depth--
		case c == '#':
			if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
				i += n
			} else {
				return -1
			}
		}
		i++
	}
	if depth > 0 {
		return -1
	}
	return len(s)
}

// stringEnd returns the offset after the string at the start of s, or -1 if it does not end.
func stringEnd(s string) int {
	mark := s[:1]
	if strings.HasPrefix(s, strings.Repeat(mark, 3)) {
		mark = s[:3]
	}
	for i := len(mark); i < len(s); i++ {
		switch {
		case s[i] == '\\' && mark[0] == '"':
			i++
		case s[i] == '\n' && len(mark) == 1:
			return -1
		case strings.HasPrefix(s[i:], mark):
			return i + len(mark)
		}
	}
	return -1
}

// parseInlineTable returns the values of an inline table, up to the first mistake.
func parseInlineTable(raw string) []Value {
	var out []Value
	s := strings.TrimPrefix(raw, "{")
	for {
		key, rest, err := parseDottedKey(strings.TrimLeft(s, " \t\r\n,"))
		if err != nil || !strings.HasPrefix(rest, "=") {
			return out
		}
		rest = strings.TrimLeft(rest[1:], " \t")
		n := valueEnd(rest)
		if n <= 0 {
			return out
		}
		out = append(out, Value{Key: key, Raw: strings.TrimSpace(rest[:n])})
		s = rest[n:]
	}
}

// Unquote returns the text of a string, and any other value as written.
func Unquote(raw string) string {
	switch {
	case len(raw) >= 2 && raw[0] == '\'' && !strings.HasPrefix(raw, "'''"):
		return raw[1 : len(raw)-1]
	case len(raw) >= 2 && raw[0] == '"' && !strings.HasPrefix(raw, `"""`):
		if s, err := strconv.Unquote(raw); err == nil {
			return s
		}
		return raw[1 : len(raw)-1]
	}
	return raw
}
