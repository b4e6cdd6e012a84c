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

// A Problem is an error in an agent file.
type Problem struct {
	File string
	Line int
	message.Message
	// NoModel is set if the problem is an agent without a model key, because the file may be meant
	// only for its hooks.
	NoModel bool
}

func (p *Problem) Error() string {
	file := p.File
	if file == "" {
		file = "agent file"
	}
	return fmt.Sprintf("%s:%d: %s", file, p.Line, p.Message)
}

// Load reads the agent file at path.
func Load(path string) (*Team, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading agent file: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, yamldoc.MaxSize+1)) // one more, so that Parse rejects a larger file
	if err != nil {
		return nil, fmt.Errorf("reading agent file: %w", err)
	}
	return Parse(path, data)
}

// Parse parses data, the text of an agent file. file is its name for messages and for Team.File. The
// error joins all problems in order of lines; each is a *Problem.
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
	t := r.readTeam(root)
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

// A reader reads an agent file. It collects the problems, and the keys that have no effect.
type reader struct {
	file     string
	problems []*Problem
	ignored  []string
	shared   sharedParts
}

// addProblem adds a problem at line with a formatted message and a remedy, which may be "".
func (r *reader) addProblem(line int, remedy, format string, args ...any) {
	r.problems = append(r.problems, &Problem{File: r.file, Line: line, Message: message.New(fmt.Sprintf(format, args...), message.Do(remedy))})
}

// noteIgnored adds a note that the key at path is ignored.
func (r *reader) noteIgnored(line int, path string) { r.noteIgnoredWithRemedy(line, path, "") }

// noteIgnoredWithRemedy is noteIgnored with what to do instead, which may be "".
func (r *reader) noteIgnoredWithRemedy(line int, path, what string) {
	text := fmt.Sprintf("%s (line %d) is ignored, because checkrein run does not support it", path, line)
	if what != "" {
		text += ". Instead: " + what
	} else {
		text += ". You can remove it"
	}
	r.ignored = append(r.ignored, text)
}

// checkKeys checks the members of the mapping n against table. It notes or refuses unsupported keys,
// and adds a problem for unknown ones. It reports whether n is a mapping.
func (r *reader) checkKeys(n *yamldoc.Node, path string, table []key) bool {
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
		r.addProblem(n.Line, "write a mapping", "%s is %s", where, n.Kind)
		return false
	}
	for _, p := range n.Pairs {
		i := slices.IndexFunc(table, func(k key) bool { return k.name == p.Key })
		if i < 0 {
			r.addUnknownKey(p, where, table)
			continue
		}
		k := table[i]
		if k.fate == runs || p.Value.IsNull() || slices.Contains(strings.Fields(k.unless), p.Value.AsYAML11Bool().ScalarText()) {
			continue
		}
		if k.fate == noted {
			r.noteIgnoredWithRemedy(p.Line, path+p.Key, k.remedy)
			continue
		}
		r.addProblem(p.Line, k.remedy, "%s%s is not supported by checkrein run", path, p.Key)
	}
	return true
}

func (r *reader) addUnknownKey(p yamldoc.Pair, where string, table []key) {
	names := make([]string, len(table))
	for i, k := range table {
		names[i] = k.name
	}
	r.addProblem(p.Line, "", "unknown key %q in %s%s", p.Key, where, suggest.Hint(p.Key, names))
}

// readText reads a string. Numbers and booleans are taken as written. It returns "" if n is null.
func (r *reader) readText(n *yamldoc.Node, path string) string {
	switch {
	case n.IsNull():
		return ""
	case n.Kind == yamldoc.Text:
		return n.Text
	case n.Kind == yamldoc.Number || n.Kind == yamldoc.Bool:
		return n.Written
	}
	r.addProblem(n.Line, "write a string", "%s is %s", path, n.Kind)
	return ""
}

// readTexts reads a list of non-empty strings. A single string is a list of one.
func (r *reader) readTexts(n *yamldoc.Node, path string) []string {
	switch {
	case n.IsNull():
		return nil
	case n.Kind == yamldoc.Text:
		return []string{n.Text}
	case n.Kind != yamldoc.List:
		r.addProblem(n.Line, "write a list", "%s is %s", path, n.Kind)
		return nil
	}
	var out []string
	for _, item := range n.Items {
		if item.Kind != yamldoc.Text || item.Text == "" {
			r.addProblem(item.Line, "write strings", "%s holds %s", path, describeKind(item))
			continue
		}
		out = append(out, item.Text)
	}
	return out
}

// describeKind returns the kind of n for messages.
func describeKind(n *yamldoc.Node) string {
	if n.Kind == yamldoc.Text {
		return "an empty string"
	}
	return n.Kind.String()
}

// readBool reads a boolean. It returns false if n is nil.
func (r *reader) readBool(n *yamldoc.Node, path string) bool {
	if n == nil {
		return false
	}
	if n = n.AsYAML11Bool(); n.Kind != yamldoc.Bool {
		r.addProblem(n.Line, "write true or false", "%s is %s", path, n.Kind)
	}
	return n.Text == "true"
}

// readCount reads a whole number that is not negative. It returns 0 if n is null.
func (r *reader) readCount(n *yamldoc.Node, path string) int {
	if n.IsNull() {
		return 0
	}
	i, err := strconv.Atoi(n.ScalarText())
	if err != nil || i < 0 || n.Kind != yamldoc.Number {
		r.addProblem(n.Line, "write a whole number, 0 or more", "%s is %s", path, n.Display())
		return 0
	}
	return i
}

// readAmount reads a number that is not negative. It returns nil if n is null.
func (r *reader) readAmount(n *yamldoc.Node, path string) *float64 {
	if n.IsNull() {
		return nil
	}
	f, ok := n.Amount()
	if !ok {
		r.addProblem(n.Line, "write a number, 0 or more", "%s is %s", path, n.Display())
		return nil
	}
	return &f
}

// checkName reports whether the key of p is a valid name for what it declares. If not, it adds a
// problem that calls it what, such as "an agent".
func (r *reader) checkName(p yamldoc.Pair, what string) bool {
	odd := func(c rune) bool { return !unicode.IsPrint(c) }
	if p.Key == "" || strings.TrimSpace(p.Key) != p.Key || strings.ContainsFunc(p.Key, odd) {
		r.addProblem(p.Line, "use letters, digits, - and _", "%q is not a valid name for %s", p.Key, what)
		return false
	}
	return true
}
