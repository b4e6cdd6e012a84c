package yamldoc

import (
	"bytes"
	"iter"
)

// TopLevelKeys yields the keys of the top-level mapping of a file, with the texts of their values, in
// the order of the file. It scans the text, in block or flow style, instead of parsing it, so it is
// cheap and also works for a file with mistakes.
func TopLevelKeys(src []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		src := bytes.TrimPrefix(src, []byte("\ufeff"))
		body, indent := documentBody(src)
		if len(body) > indent && body[indent] == '{' {
			flowKeys(body[indent+1:], yield)
			return
		}
		blockKeys(body, indent, yield)
	}
}

// documentBody returns the text of the file from the line with its first content on, and the
// indentation of that line. The content may follow --- on the same line.
func documentBody(src []byte) (body []byte, indent int) {
	for at := 0; at < len(src); {
		line := src[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		start := at
		if mark, ok := DocumentMark(line); ok {
			start, line = at+len(mark), line[len(mark):]
		}
		text := bytes.TrimLeft(line, " \t\r\n")
		if len(text) > 0 && text[0] != '#' && text[0] != '%' {
			return src[start:], len(line) - len(text)
		}
		at = start + len(line)
	}
	return nil, 0
}

// blockKeys yields the keys of a block mapping that are indented by indent columns.
func blockKeys(body []byte, indent int, yield func(string, []byte) bool) {
	key, from, at := "", -1, 0
	for line := range bytes.Lines(body) {
		if k, rest, ok := blockKey(line, indent); ok {
			if from >= 0 && !yield(key, body[from:at]) {
				return
			}
			key, from = k, at+rest
		}
		at += len(line)
	}
	if from >= 0 {
		yield(key, body[from:])
	}
}

// blockKey returns the key that line has at the column indent, and the offset of its value. It reports
// false if there is none.
func blockKey(line []byte, indent int) (key string, rest int, ok bool) {
	text := bytes.TrimLeft(line, " \t")
	if len(line)-len(text) != indent || len(text) == 0 || bytes.IndexByte([]byte("-]}[{,#%\r\n"), text[0]) >= 0 {
		return "", 0, false
	}
	end := bytes.IndexByte(text, ':')
	if q := text[0]; q == '"' || q == '\'' {
		closing := quoteEnd(text, 0)
		end = closing + bytes.IndexByte(text[closing:], ':')
		if end < closing {
			return "", 0, false
		}
	}
	if end < 0 {
		return "", 0, false
	}
	return string(bytes.Trim(text[:end], " \t\"'")), indent + end + 1, true
}

// flowKeys yields the keys of a flow mapping. text begins after its opening brace.
func flowKeys(text []byte, yield func(string, []byte) bool) {
	key, from, depth := "", 0, 0
	named := false // set if key is read and from is the offset of its value
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case (c == '"' || c == '\'') && beginsScalar(text[:i]):
			i = quoteEnd(text, i) - 1
		case c == '#' && (i == 0 || isSpace(text[i-1])):
			if end := bytes.IndexByte(text[i:], '\n'); end >= 0 {
				i += end
			} else {
				i = len(text)
			}
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth > 0:
		case c == ':' && !named:
			key, named, from = flowKey(text[from:i]), true, i+1
		case c == ',' || c == '}':
			if named && !yield(key, text[from:i]) || c == '}' {
				return
			}
			named, from = false, i+1
		}
	}
	if named {
		yield(key, text[from:])
	}
}

// flowKey returns the key in text, the text before a colon, without comments above it.
func flowKey(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(bytes.Trim(text[bytes.LastIndexByte(text, '\n')+1:], " \t\"'"))
}

// quoteEnd returns the offset after the quoted string that begins at i.
func quoteEnd(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

// beginsScalar reports whether a value can begin after the text before. Elsewhere, a quote is an
// ordinary character.
func beginsScalar(before []byte) bool {
	before = bytes.TrimRight(before, " \t\r\n")
	return len(before) == 0 || bytes.IndexByte([]byte("{[,:"), before[len(before)-1]) >= 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// DocumentMark returns the --- or ... with which line begins. It reports false if there is none.
func DocumentMark(line []byte) (string, bool) {
	for _, mark := range [...]string{"---", "..."} {
		rest, ok := bytes.CutPrefix(line, []byte(mark))
		if ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0) {
			return mark, true
		}
	}
	return "", false
}
