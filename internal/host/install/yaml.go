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

// A YAMLForm is a YAML file in which each event below `hooks` has a list of
// hooks. Lines are put in and taken out, so that everything else stays as it is;
// what comes of it is read again and compared before anybody writes it.
type YAMLForm struct {
	Host string
	Hook func(Entry) []string // its lines, without the dash
	Runs func(Entry) bool     // as in a JSONForm
}

// A yamlText is a file by its lines.
type yamlText struct {
	lines   []string // each with its end
	newline string
}

func newYAMLText(src []byte) *yamlText {
	t := &yamlText{newline: "\n"}
	if bytes.Contains(src, []byte("\r\n")) {
		t.newline = "\r\n"
	}
	for line := range bytes.Lines(src) {
		t.lines = append(t.lines, string(line))
	}
	return t
}

func (t *yamlText) bytes() []byte { return []byte(strings.Join(t.lines, "")) }

// insert puts lines before the line with this number, which begins with 1.
func (t *yamlText) insert(number int, lines []string) {
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

func (t *yamlText) line(number int) string { return strings.TrimRight(t.lines[number-1], "\r\n") }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func isRemark(line string) bool {
	s := strings.TrimSpace(line)
	return s == "" || s[0] == '#'
}

// end is the number of the line behind the block that begins at a line: what is
// indented more than the line belongs to it, comments at its end do not.
func (t *yamlText) end(number int) int {
	depth := indentOf(t.line(number))
	last := number
	for n := number + 1; n <= len(t.lines); n++ {
		l := t.line(n)
		if isRemark(l) {
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
			line := item.Get("command").Plain()
			if _, ok := hostfiles.Ours(line, f.Host); !ok {
				continue
			}
			e := Entry{Event: p.Key, Command: line, Index: i}
			e.Timeout, _ = strconv.Atoi(item.Get("timeout").Plain())
			if m := item.Get("matcher").Plain(); m != "" && m != ".*" {
				e.Narrowed = "matcher " + strconv.Quote(m)
			}
			out = append(out, e)
		}
	}
	return out, nil
}

func (f YAMLForm) Put(src []byte, want []Entry) ([]byte, error) {
	older, err := f.older(src, want)
	if err != nil {
		return nil, err
	}
	want = append(slices.Clone(want), older...)
	right, err := f.right(src, want)
	if err != nil || right {
		return src, err
	}
	clean, err := f.without(src)
	if err != nil {
		return nil, err
	}
	out := clean
	for _, w := range slices.Backward(want) { // each is put first
		if out, err = f.add(out, w); err != nil {
			return nil, err
		}
	}
	return out, f.verify(src, out, want)
}

// older are the entries that run and stay until those that are wanted do too.
func (f YAMLForm) older(src []byte, want []Entry) ([]Entry, error) {
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
			if h.Event == w.Event && !h.same(&w) && f.Runs(h) {
				h.Closed, h.Tool = w.Closed, w.Tool
				out = append(out, h)
			}
		}
	}
	return out, nil
}

func (f YAMLForm) running() func(Entry) bool { return f.Runs }

// right reports whether a file has the entries that are wanted and no others of
// ours.
func (f YAMLForm) right(src []byte, want []Entry) (bool, error) {
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

// item is an entry's lines with a dash, so deep.
func (f YAMLForm) item(e Entry, depth int) []string {
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

// add puts an entry before the others of its event.
func (f YAMLForm) add(src []byte, e Entry) ([]byte, error) {
	root, err := ParseYAML(src)
	if err != nil {
		return nil, err
	}
	t := newYAMLText(src)
	at := pair(root, "hooks")
	if at == nil {
		t.insert(len(t.lines)+1, append([]string{"hooks:", "  " + e.Event + ":"}, f.item(e, 4)...))
		return t.bytes(), nil
	}
	if empty(at.Value) {
		if err := t.open(at.Line); err != nil {
			return nil, err
		}
		t.insert(at.Line+1, append([]string{"  " + e.Event + ":"}, f.item(e, 4)...))
		return t.bytes(), nil
	}
	if at.Value.Kind != yamldoc.Map || at.Value.Pairs[0].Line == at.Line {
		return nil, errYAMLShape
	}
	depth := indentOf(t.line(at.Value.Pairs[0].Line))
	event := pair(at.Value, e.Event)
	if event == nil {
		t.insert(at.Line+1, append([]string{strings.Repeat(" ", depth) + e.Event + ":"}, f.item(e, depth+2)...))
		return t.bytes(), nil
	}
	if empty(event.Value) {
		if err := t.open(event.Line); err != nil {
			return nil, err
		}
		t.insert(event.Line+1, f.item(e, depth+2))
		return t.bytes(), nil
	}
	if event.Value.Kind != yamldoc.List {
		return nil, errYAMLShape
	}
	dash := t.dash(event.Line, event.Value.Items[0].Line)
	if dash == 0 {
		return nil, errYAMLShape
	}
	t.insert(dash, f.item(e, indentOf(t.line(dash))))
	return t.bytes(), nil
}

// open makes room behind a key whose value is empty.
func (t *yamlText) open(number int) error {
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

// dash finds the line in which a list's item begins, 0 if there is none.
func (t *yamlText) dash(after, number int) int {
	for n := number; n > after; n-- {
		if s := strings.TrimLeft(t.line(n), " "); s == "-" || strings.HasPrefix(s, "- ") {
			return n
		}
	}
	return 0
}

func pair(n *yamldoc.Node, key string) *yamldoc.Pair {
	for i := range n.Pairs {
		if n.Pairs[i].Key == key {
			return &n.Pairs[i]
		}
	}
	return nil
}

func empty(n *yamldoc.Node) bool { return n.IsNull() || len(n.Items)+len(n.Pairs) == 0 && n.Text == "" }

// without removes our entries, and the keys that nothing is left of.
func (f YAMLForm) without(src []byte) ([]byte, error) {
	for {
		root, err := ParseYAML(src)
		if err != nil {
			return nil, err
		}
		t := newYAMLText(src)
		from, to, err := f.next(root, t)
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

// next finds the lines of one entry of ours; 0 = there is none. Where it is the
// only one, the key above goes too.
func (f YAMLForm) next(root *yamldoc.Node, t *yamlText) (from, to int, err error) {
	hooks := pair(root, "hooks")
	if hooks == nil {
		return 0, 0, nil
	}
	for _, p := range hooks.Value.Pairs {
		for _, item := range p.Value.Items {
			if _, ok := hostfiles.Ours(item.Get("command").Plain(), f.Host); !ok {
				continue
			}
			number := t.dash(p.Line, item.Line)
			switch {
			case number == 0:
				return 0, 0, errYAMLShape
			case len(p.Value.Items) > 1:
			case len(hooks.Value.Pairs) > 1:
				return p.Line, t.end(number), nil
			default:
				return hooks.Line, t.end(number), nil
			}
			return number, t.end(number), nil
		}
	}
	return 0, 0, nil
}

func (f YAMLForm) Drop(src []byte) ([]byte, error) {
	have, err := f.Find(src)
	if err != nil || len(have) == 0 {
		return src, err
	}
	out, err := f.without(src)
	if err != nil {
		return nil, err
	}
	if IsBlank(out) {
		return nil, nil
	}
	return out, f.verify(src, out, nil)
}

// verify compares what two files say beside our entries, and looks for ours.
func (f YAMLForm) verify(before, after []byte, want []Entry) error {
	a, err := f.rest(before)
	if err != nil {
		return err
	}
	b, err := f.rest(after)
	if err != nil {
		return fmt.Errorf("checkrein's edit would make the file invalid YAML, so the file was not changed: %w", err)
	}
	if right, err := f.right(after, want); err != nil || !right || a != b {
		return errYAMLShape
	}
	return nil
}

// rest is what a file says beside our entries.
func (f YAMLForm) rest(src []byte) (string, error) {
	root, err := ParseYAML(src)
	if err != nil {
		return "", err
	}
	if hooks := pair(root, "hooks"); hooks != nil {
		for i := range hooks.Value.Pairs {
			v := hooks.Value.Pairs[i].Value
			v.Items = slices.DeleteFunc(v.Items, func(item *yamldoc.Node) bool {
				_, ok := hostfiles.Ours(item.Get("command").Plain(), f.Host)
				return ok
			})
		}
		hooks.Value.Pairs = slices.DeleteFunc(hooks.Value.Pairs, func(p yamldoc.Pair) bool { return empty(p.Value) })
	}
	root.Pairs = slices.DeleteFunc(root.Pairs, func(p yamldoc.Pair) bool { return p.Key == "hooks" && empty(p.Value) })
	if len(root.Pairs) == 0 {
		return "", nil
	}
	return string(root.JSON()), nil
}
