package yamldoc

import "strings"

// A Mapping is where the members of a mapping are in the text of a YAML file, to change one of them and
// leave everything else as it is, comments included. It knows the layouts that people use, but not all of
// YAML: after a change, check that the file means what it should.
type Mapping struct {
	text    string
	flow    bool
	indent  int // of its keys
	end     int // where a further member belongs
	members []member
}

// A member is where a member of a mapping is: its value is text[start:end], and valueAt is the end of
// the colon before it.
type member struct {
	key                     string
	at, valueAt, start, end int
}

// MappingAt returns the mapping that begins in a line of text, which may begin with the dash of a list.
// The first line is 1.
func MappingAt(text string, line int) Mapping {
	at := 0
	for ; line > 1 && at < len(text); line-- {
		at += strings.IndexByte(text[at:]+"\n", '\n') + 1
	}
	if at >= len(text) {
		return Mapping{text: text, end: len(text)}
	}
	at += len(text[at:]) - len(strings.TrimLeft(text[at:], " -"))
	return scanMapping(text, at)
}

// Has reports whether the mapping has the member key.
func (m *Mapping) Has(key string) bool { return m.index(key) >= 0 }

func (m *Mapping) index(key string) int {
	for i := range m.members {
		if m.members[i].key == key {
			return i
		}
	}
	return -1
}

// Value returns the value of the member key as YAML, or "" if there is none.
func (m *Mapping) Value(key string) string {
	i := m.index(key)
	if i < 0 {
		return ""
	}
	e := &m.members[i]
	column := e.start - strings.LastIndex(m.text[:e.start], "\n") - 1
	return strings.Repeat(" ", column) + m.text[e.start:e.end]
}

// Inner returns the mapping that is the value of the member key, and whether there is such a member.
func (m *Mapping) Inner(key string) (inner Mapping, ok bool) {
	i := m.index(key)
	if i < 0 {
		return Mapping{}, false
	}
	return scanMapping(m.text, m.members[i].start), true
}

// Set returns the text of the file with the member key set to value, which is YAML in one line. A new
// member comes last.
func (m *Mapping) Set(key, value string) string {
	if i := m.index(key); i >= 0 {
		e := &m.members[i]
		return m.text[:e.valueAt] + " " + value + m.text[e.end:]
	}
	line := key + ": " + value
	switch {
	case !m.flow && len(m.members) == 0: // it is no mapping
		return m.text
	case !m.flow:
		line = "\n" + strings.Repeat(" ", m.indent) + line
	case len(m.members) > 0:
		line = ", " + line
	}
	return m.text[:m.end] + line + m.text[m.end:]
}

// Remove returns the text of the file without the member key.
func (m *Mapping) Remove(key string) string {
	i := m.index(key)
	if i < 0 {
		return m.text
	}
	from, to := m.members[i].at, m.members[i].end
	switch last := i == len(m.members)-1; {
	case m.flow && last && i > 0:
		from = m.members[i-1].end
	case !last && (m.flow || i == 0):
		to = m.members[i+1].at
	case !m.flow && i > 0:
		from = strings.LastIndex(m.text[:from], "\n") + 1
		to += strings.IndexByte(m.text[to:]+"\n", '\n') + 1
	}
	return m.text[:from] + m.text[min(to, len(m.text)):]
}

// RemoveItem returns the text of the file without the i-th item of the member key, which is a list of
// scalars. It returns the text as it is if there is no such item.
func (m *Mapping) RemoveItem(key string, i int) string {
	k := m.index(key)
	if k < 0 {
		return m.text
	}
	from, to := m.members[k].start, m.members[k].end
	if from < to && m.text[from] == '[' {
		return m.removeFlowItem(from, to, i)
	}
	for at := strings.LastIndex(m.text[:from], "\n") + 1; at < to; {
		next := at + strings.IndexByte(m.text[at:]+"\n", '\n') + 1
		if line := strings.TrimLeft(m.text[at:min(next, len(m.text))], " "); strings.HasPrefix(line, "-") {
			if i--; i < 0 {
				return m.text[:at] + m.text[min(next, len(m.text)):]
			}
		}
		at = next
	}
	return m.text
}

// removeFlowItem is RemoveItem for the list text[from:to], which is in brackets.
func (m *Mapping) removeFlowItem(from, to, i int) string {
	begin := from + 1 // of an item
	for at := begin; at < to; at += tokenLen(m.text, at) {
		c := m.text[at]
		switch {
		case c == '#' && strings.ContainsRune(" \n", rune(m.text[at-1])):
			at += strings.IndexByte(m.text[at:]+"\n", '\n') - 1
		case c != ',' && c != ']':
		case i > 0:
			i--
			begin = at + 1
		case c == ',':
			return m.text[:skipBlank(m.text, begin)] + m.text[skipBlank(m.text, at+1):]
		case begin > from+1: // the last of several
			return m.text[:begin-1] + m.text[at:]
		default:
			return m.text[:begin] + m.text[at:]
		}
		if c == ']' {
			break
		}
	}
	return m.text
}

// scanMapping finds the members of the mapping at text[at:], which begins with { or with the first key.
func scanMapping(text string, at int) Mapping {
	if at < len(text) && text[at] == '{' {
		return scanFlow(text, at)
	}
	m := Mapping{text: text, indent: at - strings.LastIndex(text[:at], "\n") - 1, end: at}
	for column := 0; at < len(text); column = m.indent { // the first line begins with its key
		line, _, _ := strings.Cut(text[at:], "\n")
		body := strings.TrimLeft(line, " ")
		blank := strings.TrimSpace(body) == "" || body[0] == '#'
		if !blank && len(line)-len(body) < column {
			break
		}
		if key, rest, ok := blockKey([]byte(line), column); ok {
			from := at + rest
			m.members = append(m.members, member{key, at + column, from, skipBlank(text, from), from + valueLen(text[from:])})
		} else if !blank && len(m.members) > 0 { // the line belongs to the last value
			last := &m.members[len(m.members)-1]
			last.end = max(last.end, at+len(line))
		}
		if !blank {
			m.end = at + len(line)
		}
		at += len(line) + 1
	}
	return m
}

// scanFlow finds the members of the flow mapping at text[at:].
func scanFlow(text string, at int) Mapping {
	m := Mapping{text: text, flow: true}
	depth, key := 0, at+1
	var open *member
	for i := at; i < len(text); {
		n := tokenLen(text, i)
		switch ch := text[i]; {
		case n > 1:
		case ch == '{' || ch == '[':
			depth++
		case depth == 1 && (ch == ',' || ch == '}'):
			if open != nil {
				open.end = i - (len(text[:i]) - len(strings.TrimRight(text[:i], " \n")))
				m.members = append(m.members, *open)
			}
			if open, key = nil, i+1; ch == '}' {
				m.end = i
				return m
			}
		case ch == '}' || ch == ']':
			depth--
		case depth == 1 && ch == ':' && open == nil:
			open = &member{strings.Trim(strings.TrimSpace(text[key:i]), `"'`), skipBlank(text, key), i + 1, skipBlank(text, i+1), 0}
		}
		i += n
	}
	m.end = len(text)
	return m
}

// skipBlank returns where text goes on after at, without white space and comments.
func skipBlank(text string, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\n':
			at++
		case '#':
			at += strings.IndexByte(text[at:]+"\n", '\n')
		default:
			return at
		}
	}
	return at
}

// valueLen returns how long the value at the beginning of text is on its line, without a comment.
func valueLen(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	end := 0
	for i := 0; i < len(line); {
		switch {
		case line[i] == '#' && (i == 0 || line[i-1] == ' '):
			return end
		case line[i] == ' ':
			i++
		default:
			i += tokenLen(line, i)
			end = i
		}
	}
	return end
}

// tokenLen returns the length of the quoted string that begins at text[at:], otherwise 1.
func tokenLen(text string, at int) int {
	if c := text[at]; (c == '"' || c == '\'') && beginsScalar([]byte(text[:at])) {
		return quoteEnd([]byte(text), at) - at
	}
	return 1
}
