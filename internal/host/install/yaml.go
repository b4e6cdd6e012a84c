package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A YAMLForm is the form of a YAML file that has, below hooks, a list of hooks for each event. It
// inserts and deletes lines, so that everything else stays as it is, and checks the result by parsing
// it.
type YAMLForm struct {
	Host string
	Hook func(Entry) []string // the lines of a hook, without the dash
	Runs func(Entry) bool     // see JSONForm
}

// A yamlLines is a YAML file split into lines.
type yamlLines struct {
	lines   []string // with their line ends
	newline string
}

func splitYAML(src []byte) *yamlLines {
	t := &yamlLines{newline: "\n"}
	if bytes.Contains(src, []byte("\r\n")) {
		t.newline = "\r\n"
	}
	for line := range bytes.Lines(src) {
		t.lines = append(t.lines, string(line))
	}
	return t
}

func (t *yamlLines) bytes() []byte { return []byte(strings.Join(t.lines, "")) }

// insert inserts lines before the line with this number, counted from 1.
func (t *yamlLines) insert(number int, lines []string) {
	at := min(number-1, len(t.lines))
	if at > 0 && !strings.HasSuffix(t.lines[at-1], "\n") {
		t.lines[at-1] += t.newline
	}
	ended := make([]string, len(lines))
	for i, l := range lines {
		ended[i] = l + t.newline
	}
	t.lines = slices.Insert(t.lines, at, ended...)
}

// line returns the line with this number, counted from 1, without its line end.
func (t *yamlLines) line(number int) string { return strings.TrimRight(t.lines[number-1], "\r\n") }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func isBlankOrComment(line string) bool {
	s := strings.TrimSpace(line)
	return s == "" || s[0] == '#'
}

// blockEnd returns the number of the line after the block that begins at the line number. The block
// includes the lines with a deeper indent, but not blank lines and comments at its end.
func (t *yamlLines) blockEnd(number int) int {
	depth := indentOf(t.line(number))
	last := number
	for n := number + 1; n <= len(t.lines); n++ {
		l := t.line(n)
		if isBlankOrComment(l) {
			continue
		}
		if indentOf(l) <= depth {
			break
		}
		last = n
	}
	return last + 1
}

var errYAMLShape = errors.New("its hooks are not written as indented lists, so checkrein cannot add to them safely: rewrite them as indented lists, or add the entries by hand")

// ParseYAML parses a YAML file. It returns an error if the file is neither a mapping nor empty.
func ParseYAML(src []byte) (*yamldoc.Node, error) {
	root, _, err := yamldoc.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("the file is not valid YAML: %w. Correct it first", err)
	}
	if root.Kind != yamldoc.Map && root.Kind != yamldoc.Null {
		return nil, errors.New("the file is not a YAML mapping: correct it first")
	}
	return root, nil
}

func (f YAMLForm) Find(src []byte) ([]Entry, error) {
	root, err := ParseYAML(src)
	if err != nil {
		return nil, err
	}
	var out []Entry
	hooks := root.Get("hooks")
	if hooks == nil {
		return nil, nil
	}
	for _, p := range hooks.Pairs {
		for i, item := range p.Value.Items {
			line := item.Get("command").ScalarText()
			if _, ok := hostfiles.OwnProgram(line, f.Host); !ok {
				continue
			}
			e := Entry{Event: p.Key, Command: line, Index: i}
			e.Timeout, _ = strconv.Atoi(item.Get("timeout").ScalarText())
			if m := item.Get("matcher").ScalarText(); m != "" && m != ".*" {
				e.Narrowed = "matcher " + strconv.Quote(m)
			}
			out = append(out, e)
		}
	}
	return out, nil
}

func (f YAMLForm) Put(src []byte, want []Entry) ([]byte, error) {
	older, err := f.olderRunning(src, want)
	if err != nil {
		return nil, err
	}
	want = append(slices.Clone(want), older...)
	has, err := f.hasExactly(src, want)
	if err != nil || has {
		return src, err
	}
	clean, err := f.removeEntries(src)
	if err != nil {
		return nil, err
	}
	out := clean
	for _, w := range slices.Backward(want) { // each is inserted before the others
		if out, err = f.addEntry(out, w); err != nil {
			return nil, err
		}
	}
	return out, f.verify(src, out, want)
}

// olderRunning returns the entries in src that differ from the wanted ones and that the host runs, for
// events whose wanted entry it does not run yet.
func (f YAMLForm) olderRunning(src []byte, want []Entry) ([]Entry, error) {
	have, err := f.Find(src)
	if err != nil || f.Runs == nil {
		return nil, err
	}
	var out []Entry
	for _, w := range want {
		if f.Runs(w) {
			continue
		}
		for _, h := range have {
			if h.Event == w.Event && !h.matches(&w) && f.Runs(h) {
				h.Closed, h.Tool = w.Closed, w.Tool
				out = append(out, h)
			}
		}
	}
	return out, nil
}

func (f YAMLForm) runsFunc() func(Entry) bool { return f.Runs }

// hasExactly reports whether checkrein's entries in src are exactly those in want.
func (f YAMLForm) hasExactly(src []byte, want []Entry) (bool, error) {
	have, err := f.Find(src)
	if err != nil || len(have) != len(want) {
		return false, err
	}
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h Entry) bool {
			return h.Event == w.Event && h.Command == w.Command && h.Timeout == w.Timeout && h.Narrowed == ""
		}) {
			return false, nil
		}
	}
	return true, nil
}

// itemLines returns the lines of an entry as a list item that is indented by depth spaces.
func (f YAMLForm) itemLines(e Entry, depth int) []string {
	lines := slices.Clone(f.Hook(e))
	for i := range lines {
		lead := "  "
		if i == 0 {
			lead = "- "
		}
		lines[i] = strings.Repeat(" ", depth) + lead + lines[i]
	}
	return lines
}

// addEntry returns src with e inserted before the other hooks of its event.
func (f YAMLForm) addEntry(src []byte, e Entry) ([]byte, error) {
	root, err := ParseYAML(src)
	if err != nil {
		return nil, err
	}
	t := splitYAML(src)
	at := findPair(root, "hooks")
	if at == nil {
		t.insert(len(t.lines)+1, append([]string{"hooks:", "  " + e.Event + ":"}, f.itemLines(e, 4)...))
		return t.bytes(), nil
	}
	if isEmpty(at.Value) {
		if err := t.clearEmptyValue(at.Line); err != nil {
			return nil, err
		}
		t.insert(at.Line+1, append([]string{"  " + e.Event + ":"}, f.itemLines(e, 4)...))
		return t.bytes(), nil
	}
	if at.Value.Kind != yamldoc.Map || at.Value.Pairs[0].Line == at.Line {
		return nil, errYAMLShape
	}
	depth := indentOf(t.line(at.Value.Pairs[0].Line))
	event := findPair(at.Value, e.Event)
	if event == nil {
		t.insert(at.Line+1, append([]string{strings.Repeat(" ", depth) + e.Event + ":"}, f.itemLines(e, depth+2)...))
		return t.bytes(), nil
	}
	if isEmpty(event.Value) {
		if err := t.clearEmptyValue(event.Line); err != nil {
			return nil, err
		}
		t.insert(event.Line+1, f.itemLines(e, depth+2))
		return t.bytes(), nil
	}
	if event.Value.Kind != yamldoc.List {
		return nil, errYAMLShape
	}
	dash := t.findDash(event.Line, event.Value.Items[0].Line)
	if dash == 0 {
		return nil, errYAMLShape
	}
	t.insert(dash, f.itemLines(e, indentOf(t.line(dash))))
	return t.bytes(), nil
}

// clearEmptyValue removes an empty value such as {} after the key in the line number, so that lines
// can follow the key. It returns an error if the line has another value.
func (t *yamlLines) clearEmptyValue(number int) error {
	line := t.line(number)
	key, value, ok := strings.Cut(line, ":")
	word, comment, hasComment := strings.Cut(value, "#")
	if !ok || !slices.Contains([]string{"", "{}", "[]", "~", "null"}, strings.Join(strings.Fields(word), "")) {
		return errYAMLShape
	}
	line = key + ":"
	if hasComment {
		line += " #" + comment
	}
	t.lines[number-1] = line + t.newline
	return nil
}

// findDash returns the number of the last line after the line after, up to the line number, in which a
// list item begins; or 0 if there is none.
func (t *yamlLines) findDash(after, number int) int {
	for n := number; n > after; n-- {
		if s := strings.TrimLeft(t.line(n), " "); s == "-" || strings.HasPrefix(s, "- ") {
			return n
		}
	}
	return 0
}

func findPair(n *yamldoc.Node, key string) *yamldoc.Pair {
	for i := range n.Pairs {
		if n.Pairs[i].Key == key {
			return &n.Pairs[i]
		}
	}
	return nil
}

func isEmpty(n *yamldoc.Node) bool {
	return n.IsNull() || len(n.Items)+len(n.Pairs) == 0 && n.Text == ""
}

// removeEntries returns src without checkrein's entries, and without keys that this leaves empty.
func (f YAMLForm) removeEntries(src []byte) ([]byte, error) {
	for {
		root, err := ParseYAML(src)
		if err != nil {
			return nil, err
		}
		t := splitYAML(src)
		from, to, err := f.nextEntry(root, t)
		if err != nil {
			return nil, err
		}
		if from == 0 {
			return src, nil
		}
		t.lines = slices.Delete(t.lines, from-1, to-1)
		src = t.bytes()
	}
}

// nextEntry returns the numbers of the first line of one of checkrein's entries and of the line after
// it, or 0, 0 if there is no entry. If it is the only entry of its event, the lines include the
// event's key; if that is the only event, also the key hooks.
func (f YAMLForm) nextEntry(root *yamldoc.Node, t *yamlLines) (from, to int, err error) {
	hooks := findPair(root, "hooks")
	if hooks == nil {
		return 0, 0, nil
	}
	for _, p := range hooks.Value.Pairs {
		for _, item := range p.Value.Items {
			if _, ok := hostfiles.OwnProgram(item.Get("command").ScalarText(), f.Host); !ok {
				continue
			}
			number := t.findDash(p.Line, item.Line)
			switch {
			case number == 0:
				return 0, 0, errYAMLShape
			case len(p.Value.Items) > 1:
			case len(hooks.Value.Pairs) > 1:
				return p.Line, t.blockEnd(number), nil
			default:
				return hooks.Line, t.blockEnd(number), nil
			}
			return number, t.blockEnd(number), nil
		}
	}
	return 0, 0, nil
}

func (f YAMLForm) Drop(src []byte) ([]byte, error) {
	have, err := f.Find(src)
	if err != nil || len(have) == 0 {
		return src, err
	}
	out, err := f.removeEntries(src)
	if err != nil {
		return nil, err
	}
	if IsBlank(out) {
		return nil, nil
	}
	return out, f.verify(src, out, nil)
}

// verify returns an error unless after has exactly the entries in want and otherwise equals before.
func (f YAMLForm) verify(before, after []byte, want []Entry) error {
	a, err := f.jsonWithoutEntries(before)
	if err != nil {
		return err
	}
	b, err := f.jsonWithoutEntries(after)
	if err != nil {
		return fmt.Errorf("checkrein's edit would make the file invalid YAML, so the file was not changed: %w", err)
	}
	if has, err := f.hasExactly(after, want); err != nil || !has || a != b {
		return errYAMLShape
	}
	return nil
}

// jsonWithoutEntries returns the file without checkrein's entries as JSON, for comparison.
func (f YAMLForm) jsonWithoutEntries(src []byte) (string, error) {
	root, err := ParseYAML(src)
	if err != nil {
		return "", err
	}
	if hooks := findPair(root, "hooks"); hooks != nil {
		for i := range hooks.Value.Pairs {
			v := hooks.Value.Pairs[i].Value
			v.Items = slices.DeleteFunc(v.Items, func(item *yamldoc.Node) bool {
				_, ok := hostfiles.OwnProgram(item.Get("command").ScalarText(), f.Host)
				return ok
			})
		}
		hooks.Value.Pairs = slices.DeleteFunc(hooks.Value.Pairs, func(p yamldoc.Pair) bool { return isEmpty(p.Value) })
	}
	root.Pairs = slices.DeleteFunc(root.Pairs, func(p yamldoc.Pair) bool { return p.Key == "hooks" && isEmpty(p.Value) })
	if len(root.Pairs) == 0 {
		return "", nil
	}
	return string(root.JSON()), nil
}
