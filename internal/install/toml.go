package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A tomlDoc is what is needed of a TOML file: its tables, where they stand, and
// the simple values in them. It is no judge of what is valid.
type tomlDoc []tomlTable

// A tomlTable is a table from its header to the next one. The first has no
// header.
type tomlTable struct {
	path       []string
	array      bool // [[path]]
	start, end int  // in the file; comments behind its last value are not its own
	values     []tomlValue
}

// A tomlValue is a key with its value as the file has it.
type tomlValue struct {
	key        []string
	raw        string
	start, end int // its lines
}

var errTOML = errors.New("it is not TOML")

// readTOML reads a file for its settings; one that is not there, or broken, has
// none.
func readTOML(path string) tomlDoc {
	src, err := read(path)
	if err != nil {
		return nil
	}
	doc, err := scanTOML(src)
	if err != nil {
		return nil
	}
	return doc
}

// get returns a value as text, "" if there is none.
func (d tomlDoc) get(keys ...string) string {
	for _, t := range d {
		if t.array || len(t.path) > len(keys) || !slices.Equal(t.path, keys[:len(t.path)]) {
			continue
		}
		if s, ok := lookup(t.values, keys[len(t.path):]); ok {
			return s
		}
	}
	return ""
}

func lookup(values []tomlValue, keys []string) (string, bool) {
	for _, v := range values {
		if len(v.key) > len(keys) || !slices.Equal(v.key, keys[:len(v.key)]) {
			continue
		}
		if len(v.key) == len(keys) {
			return unquoteTOML(v.raw), true
		}
		if strings.HasPrefix(v.raw, "{") {
			if s, ok := lookup(inlineTOML(v.raw), keys[len(v.key):]); ok {
				return s, true
			}
		}
	}
	return "", false
}

// scanTOML finds the tables of a file.
func scanTOML(src []byte) (tomlDoc, error) {
	doc := tomlDoc{{}}
	loose := 0 // where comments and blank lines began, of which nobody knows yet whose they are
	for at := 0; at < len(src); {
		line := lineEnd(src, at)
		text := bytes.TrimSpace(src[at:line])
		last := &doc[len(doc)-1]
		switch {
		case len(text) == 0 || text[0] == '#':
		case text[0] == '[':
			t, err := header(string(text))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(src[:at], []byte("\n")), err)
			}
			last.end = loose
			t.start = at
			doc = append(doc, t)
			loose = line
		default:
			v, end, err := keyValue(src, at)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(src[:at], []byte("\n")), err)
			}
			last.values = append(last.values, v)
			line, loose = end, end
		}
		at = line
	}
	doc[len(doc)-1].end = loose
	return doc, nil
}

// lineEnd is where the next line begins.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

func header(line string) (tomlTable, error) {
	var t tomlTable
	line, t.array = strings.CutPrefix(line, "[")
	if rest, ok := strings.CutPrefix(line, "["); ok && t.array {
		line = rest
	} else {
		t.array = false
	}
	path, rest, err := keyTOML(line)
	if err != nil || !strings.HasPrefix(rest, "]") {
		return t, fmt.Errorf("%w: a table's name", errTOML)
	}
	t.path = path
	return t, nil
}

// keyTOML reads a dotted key and returns what follows.
func keyTOML(s string) (path []string, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " \t")
		var part string
		if s != "" && (s[0] == '"' || s[0] == '\'') {
			n := stringEnd(s)
			if n < 0 {
				return nil, "", errTOML
			}
			part, s = unquoteTOML(s[:n]), s[n:]
		} else {
			n := strings.IndexFunc(s, func(r rune) bool {
				return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
			})
			if n < 0 {
				n = len(s)
			}
			if n == 0 {
				return nil, "", errTOML
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

// keyValue reads a pair, which may go over several lines.
func keyValue(src []byte, at int) (tomlValue, int, error) {
	text := string(src[at:])
	key, rest, err := keyTOML(text)
	if err != nil || !strings.HasPrefix(rest, "=") {
		return tomlValue{}, 0, fmt.Errorf("%w: a key with a value", errTOML)
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	n := valueEnd(rest)
	if n <= 0 {
		return tomlValue{}, 0, fmt.Errorf("%w: a value", errTOML)
	}
	end := lineEnd(src, at+len(text)-len(rest)+n)
	return tomlValue{key: key, raw: strings.TrimSpace(rest[:n]), start: at, end: end}, end, nil
}

// valueEnd is where a value ends: at the end of its line, before a comment, or at
// a comma or bracket that is not its own. -1 = it does not end.
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

// stringEnd is where the string that s begins with ends, -1 if it does not.
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

// inlineTOML reads an inline table.
func inlineTOML(raw string) []tomlValue {
	var out []tomlValue
	s := strings.TrimPrefix(raw, "{")
	for {
		key, rest, err := keyTOML(strings.TrimLeft(s, " \t\r\n,"))
		if err != nil || !strings.HasPrefix(rest, "=") {
			return out
		}
		rest = strings.TrimLeft(rest[1:], " \t")
		n := valueEnd(rest)
		if n <= 0 {
			return out
		}
		out = append(out, tomlValue{key: key, raw: strings.TrimSpace(rest[:n])})
		s = rest[n:]
	}
}

// unquoteTOML is the text of a string, or a value as it is written.
func unquoteTOML(raw string) string {
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

// quoteTOML writes a basic string: what JSON escapes, TOML understands.
func quoteTOML(s string) string { return string(encode(s)) }
