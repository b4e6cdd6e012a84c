package team

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A Problem is one thing that keeps a file from being run.
type Problem struct {
	File string
	Line int
	message.Message
	// NoModel marks the problem that an agent has no model key: the file may be meant for its
	// hooks alone.
	NoModel bool
}

func (p *Problem) Error() string {
	file := p.File
	if file == "" {
		file = "agent file"
	}
	return fmt.Sprintf("%s:%d: %s", file, p.Line, p.Message)
}

// Load reads an agent file.
func Load(path string) (*Team, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading agent file: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, yamldoc.MaxSize+1)) // one more, so that Parse sees it is too large
	if err != nil {
		return nil, fmt.Errorf("reading agent file: %w", err)
	}
	return Parse(path, data)
}

// Parse reads the text of an agent file. File is its name, for messages and for
// Team.File. Everything that is wrong is reported, joined in the order of lines:
// each is a *Problem.
func Parse(file string, data []byte) (*Team, error) {
	r := reader{file: file}
	root, _, err := yamldoc.Parse(data)
	if err != nil {
		var at *yamldoc.Error
		if !errors.As(err, &at) {
			at = &yamldoc.Error{Line: 1, Msg: err.Error()}
		}
		return nil, &Problem{File: file, Line: at.Line, Message: message.New(at.Text())}
	}
	t := r.team(root)
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b *Problem) int { return a.Line - b.Line })
		errs := make([]error, len(r.problems))
		for i, p := range r.problems {
			errs[i] = p
		}
		return nil, errors.Join(errs...)
	}
	return t, nil
}

// A reader collects what is wrong with a file, and what of it is not run.
type reader struct {
	file     string
	problems []*Problem
	ignored  []string
	shared   shared
}

func (r *reader) problem(line int, remedy, format string, args ...any) {
	r.problems = append(r.problems, &Problem{File: r.file, Line: line, Message: message.New(fmt.Sprintf(format, args...), message.Do(remedy))})
}

func (r *reader) note(line int, path string) { r.lack(line, path, "") }

// lack notes what is not run, and what is missing without it.
func (r *reader) lack(line int, path, what string) {
	text := fmt.Sprintf("%s (line %d) is ignored, because checkrein run does not support it", path, line)
	if what != "" {
		text += ". Instead: " + what
	} else {
		text += ". You can remove it"
	}
	r.ignored = append(r.ignored, text)
}

// keys looks at every member of a mapping: those that are not run are noted or
// refused, and those that nobody knows are problems. It reports whether n is a
// mapping at all.
func (r *reader) keys(n *yamldoc.Node, path string, table []key) bool {
	if n.IsNull() {
		return false
	}
	where := path // "" is the file itself
	if path == "" {
		where = "the file"
	} else {
		path += "."
	}
	if n.Kind != yamldoc.Map {
		r.problem(n.Line, "write a mapping", "%s is %s", where, n.Kind)
		return false
	}
	for _, p := range n.Pairs {
		i := slices.IndexFunc(table, func(k key) bool { return k.name == p.Key })
		if i < 0 {
			r.unknown(p, where, table)
			continue
		}
		k := table[i]
		if k.fate == runs || p.Value.IsNull() || slices.Contains(strings.Fields(k.unless), p.Value.Boolean().Plain()) {
			continue
		}
		if k.fate == noted {
			r.lack(p.Line, path+p.Key, k.remedy)
			continue
		}
		r.problem(p.Line, k.remedy, "%s%s is not supported by checkrein run", path, p.Key)
	}
	return true
}

func (r *reader) unknown(p yamldoc.Pair, where string, table []key) {
	names := make([]string, len(table))
	for i, k := range table {
		names[i] = k.name
	}
	r.problem(p.Line, "", "unknown key %q in %s%s", p.Key, where, suggest.Hint(p.Key, names))
}

// text reads a text; numbers and the like are taken as written.
func (r *reader) text(n *yamldoc.Node, path string) string {
	switch {
	case n.IsNull():
		return ""
	case n.Kind == yamldoc.Text:
		return n.Text
	case n.Kind == yamldoc.Number || n.Kind == yamldoc.Bool:
		return n.Written
	}
	r.problem(n.Line, "write a string", "%s is %s", path, n.Kind)
	return ""
}

// texts reads a list of texts; one text stands for a list of it.
func (r *reader) texts(n *yamldoc.Node, path string) []string {
	switch {
	case n.IsNull():
		return nil
	case n.Kind == yamldoc.Text:
		return []string{n.Text}
	case n.Kind != yamldoc.List:
		r.problem(n.Line, "write a list", "%s is %s", path, n.Kind)
		return nil
	}
	var out []string
	for _, item := range n.Items {
		if item.Kind != yamldoc.Text || item.Text == "" {
			r.problem(item.Line, "write strings", "%s holds %s", path, kindOf(item))
			continue
		}
		out = append(out, item.Text)
	}
	return out
}

func kindOf(n *yamldoc.Node) string {
	if n.Kind == yamldoc.Text {
		return "an empty string"
	}
	return n.Kind.String()
}

func (r *reader) boolean(n *yamldoc.Node, path string) bool {
	if n == nil {
		return false
	}
	if n = n.Boolean(); n.Kind != yamldoc.Bool {
		r.problem(n.Line, "write true or false", "%s is %s", path, n.Kind)
	}
	return n.Text == "true"
}

// count reads a whole number that is not negative.
func (r *reader) count(n *yamldoc.Node, path string) int {
	if n.IsNull() {
		return 0
	}
	i, err := strconv.Atoi(n.Plain())
	if err != nil || i < 0 || n.Kind != yamldoc.Number {
		r.problem(n.Line, "write a whole number, 0 or more", "%s is %s", path, n.Shown())
		return 0
	}
	return i
}

// amount reads a number that is not negative; nil when there is none.
func (r *reader) amount(n *yamldoc.Node, path string) *float64 {
	if n.IsNull() {
		return nil
	}
	f, ok := n.Amount()
	if !ok {
		r.problem(n.Line, "write a number, 0 or more", "%s is %s", path, n.Shown())
		return nil
	}
	return &f
}

// name checks a name that the file declares.
func (r *reader) name(p yamldoc.Pair, what string) bool {
	odd := func(c rune) bool { return !unicode.IsPrint(c) }
	if p.Key == "" || strings.TrimSpace(p.Key) != p.Key || strings.ContainsFunc(p.Key, odd) {
		r.problem(p.Line, "use letters, digits, - and _", "%q is not a valid name for %s", p.Key, what)
		return false
	}
	return true
}
