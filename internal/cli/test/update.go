package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// update writes what the policy decided into the expectations that failed. Cases that could not be
// tried stay as they are.
func (f *fileResult) update() error {
	src, count := f.src, 0
	for _, r := range slices.Backward(f.results) { // lines before a change keep their numbers
		changed, err := r.changeAll(src)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", f.path, r.node.Line, err)
		}
		if r.updated = changed != nil; r.updated {
			src, r.failures, r.obstacles = changed, nil, nil
			count++
		}
	}
	if count == 0 {
		return nil
	}
	now := &testFile{path: f.path, defaults: true}
	if err := now.parse(src); err != nil || len(now.cases) < len(f.results) {
		return fmt.Errorf("%s: the expectations cannot be changed in place: change them yourself, by the output without --update", f.path)
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	return state.ReplaceFile(f.path, src, info.Mode().Perm())
}

// changeAll returns src with the expectations of r as the policy decided, or nil if nothing is to be
// changed.
func (r *result) changeAll(src []byte) ([]byte, error) {
	if r.bare {
		var members []string
		for _, p := range starterExpect.Pairs {
			if got := findCheck(p.Key).got(r.decision); len(got) > 0 {
				members = append(members, p.Key+": "+scalarText(got[0]))
			}
		}
		return r.change(src, []string{"expect"}, "{"+strings.Join(members, ", ")+"}")
	}
	if len(r.failures) == 0 || len(r.obstacles) > 0 {
		return nil, nil
	}
	for _, f := range slices.Backward(r.failures) {
		value := findCheck(f.Key).valueText(r.expect.Get(f.Key), f.Got)
		var err error
		if src, err = r.change(src, []string{"expect", f.Key}, value); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// valueText returns got as YAML, in the form of old: a string or a list.
func (c *check) valueText(old *yamldoc.Node, got []string) string {
	switch {
	case len(got) == 0:
		return "null"
	case c.raw:
		return got[0]
	case old.Kind != yamldoc.List:
		first, _, _ := strings.Cut(got[0], "\n")
		return scalarText(first)
	}
	out := make([]string, len(got))
	for i, s := range got {
		out[i] = scalarText(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// plainScalar matches strings that need no quotes in YAML.
var plainScalar = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)

// scalarText returns s as YAML.
func scalarText(s string) string {
	if plainScalar.MatchString(s) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s)) {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // strings can be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// change returns src with the member of the case that keys leads to set to value. Everything else stays
// as it is, which is checked.
func (c *testCase) change(src []byte, keys []string, value string) ([]byte, error) {
	text := string(src)
	at := lineOffset(text, c.node.Line)
	at += len(text[at:]) - len(strings.TrimLeft(text[at:], " -"))
	out, err := setMember(text, at, keys, value)
	if err != nil || !c.differsOnlyIn(keys, src, []byte(out)) {
		return nil, fmt.Errorf("the expectation cannot be changed in place: write %s: %s yourself", strings.Join(keys, ": "), value)
	}
	return []byte(out), nil
}

// differsOnlyIn reports whether the files before and after differ in nothing but the member of the case
// that keys leads to.
func (c *testCase) differsOnlyIn(keys []string, before, after []byte) bool {
	was, _, err := yamldoc.Parse(before)
	if err != nil {
		return false
	}
	is, _, err := yamldoc.Parse(after)
	if err != nil {
		return false
	}
	for _, root := range []*yamldoc.Node{was, is} {
		for _, n := range root.Get("cases").Items {
			if n.Line != c.node.Line {
				continue
			}
			for _, k := range keys[:len(keys)-1] {
				n = n.Get(k)
			}
			last := keys[len(keys)-1]
			n.Pairs = slices.DeleteFunc(n.Pairs, func(p yamldoc.Pair) bool { return p.Key == last })
		}
	}
	return string(was.JSON()) == string(is.JSON())
}

// setMember sets the member of the mapping at text[at:] that keys leads to.
func setMember(text string, at int, keys []string, value string) (string, error) {
	m := scanMapping(text, at)
	for _, e := range m.members {
		if e.key != keys[0] {
			continue
		}
		if len(keys) > 1 {
			return setMember(text, e.start, keys[1:], value)
		}
		return text[:e.valueAt] + " " + value + text[e.end:], nil
	}
	if len(keys) > 1 {
		return "", fmt.Errorf("there is no member %s", keys[0])
	}
	line := keys[0] + ": " + value
	if m.flow {
		if len(m.members) > 0 {
			line = ", " + line
		}
		return text[:m.end] + line + text[m.end:], nil
	}
	return text[:m.end] + "\n" + strings.Repeat(" ", m.indent) + line + text[m.end:], nil
}

// A mapping is where the members of a mapping in YAML are.
type mapping struct {
	flow    bool
	indent  int // of its keys
	end     int // where a further member belongs
	members []member
}

// A member is where a member of a mapping is: its value is text[start:end], and valueAt is the end of
// the colon before it.
type member struct {
	key                 string
	valueAt, start, end int
}

// blockKey matches a key of a block mapping.
var blockKey = regexp.MustCompile(`^["']?([A-Za-z_]+)["']?:(\s|$)`)

// scanMapping finds the members of the mapping at text[at:], which begins with { or with the first key.
func scanMapping(text string, at int) mapping {
	if text[at] == '{' {
		return scanFlow(text, at)
	}
	m := mapping{indent: at - strings.LastIndex(text[:at], "\n") - 1, end: at}
	for first := true; at < len(text); first = false {
		line, _, _ := strings.Cut(text[at:], "\n")
		indent := m.indent
		body := line
		if !first {
			body = strings.TrimLeft(line, " ")
			indent = len(line) - len(body)
		}
		blank := strings.TrimSpace(body) == "" || body[0] == '#'
		if !first && !blank && indent < m.indent {
			break
		}
		if k := blockKey.FindStringSubmatch(body); k != nil && indent == m.indent {
			from := at + len(line) - len(body) + strings.Index(body, ":") + 1
			m.members = append(m.members, member{k[1], from, skipBlank(text, from), from + valueLen(text[from:])})
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

// tokenLen returns the length of the quoted string that begins at text[at:], otherwise 1. A quote within
// a word, as in don't, begins none.
func tokenLen(text string, at int) int {
	quote := text[at]
	if quote != '"' && quote != '\'' || at > 0 && !strings.ContainsRune(" \n{[,:", rune(text[at-1])) {
		return 1
	}
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote:
			return i + 1 - at
		}
	}
	return 1
}

// scanFlow finds the members of the flow mapping at text[at:].
func scanFlow(text string, at int) mapping {
	m := mapping{flow: true}
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
			open = &member{strings.Trim(strings.TrimSpace(text[key:i]), `"'`), i + 1, skipBlank(text, i+1), 0}
		}
		i += n
	}
	m.end = len(text)
	return m
}

// lineOffset returns where a line of text begins; the first is 1.
func lineOffset(text string, line int) int {
	at := 0
	for ; line > 1; line-- {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	return at
}
