package judge

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A prompt is a template that was checked.
type prompt struct {
	source string
	parsed *template.Template
}

// fence is the function that ends every pipeline which inserts something. No
// template can call it: it is not there while templates are parsed.
const fence = "_fence"

// functions are what a template can use beside text/template's own. None reaches
// outside of the event.
func functions() template.FuncMap {
	return template.FuncMap{"toJSON": toJSON, "truncate": truncate}
}

// truncate cuts a text to so many bytes.
func truncate(most int, v any) (string, error) {
	s, err := asText(v)
	if err != nil || len(s) <= max(most, 0) {
		return s, err
	}
	end := max(most, 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…", nil
}

// compile parses a template, and finds what would go wrong with it later.
func compile(source string) (*prompt, error) {
	if strings.TrimSpace(source) == "" {
		return nil, errors.New("the hook has no prompt: write the question for the judge")
	}
	t, err := template.New("prompt").Funcs(functions()).Parse(source)
	if err != nil {
		return nil, plainError(err)
	}
	var c checker
	for _, part := range t.Templates() {
		c.tree, c.main = part.Tree, part.Name() == "prompt"
		if part.Tree != nil {
			c.node(part.Root, c.main)
		}
	}
	if t.Tree == nil || parse.IsEmptyTree(t.Root) {
		c.errs = append(c.errs, errors.New("the prompt is empty"))
	}
	if err := errors.Join(c.errs...); err != nil {
		return nil, err
	}
	return &prompt{source, t}, nil
}

var where = regexp.MustCompile(`^template: [^:]*:(\d+):(?:\d+:)? ?`)

// plainError describes an error of a template by the line of the prompt.
func plainError(err error) error {
	return errors.New(where.ReplaceAllString(err.Error(), "line $1 of the prompt: "))
}

// A checker goes through a template, finds mistakes that would show only when it
// runs, and puts the fence behind what inserts values.
type checker struct {
	tree *parse.Tree
	main bool
	errs []error
}

func (c *checker) problem(n parse.Node, format string, args ...any) {
	place, _ := c.tree.ErrorContext(n)
	line := "?"
	if parts := strings.Split(place, ":"); len(parts) > 1 {
		line = parts[1]
	}
	c.errs = append(c.errs, fmt.Errorf("line %s of the prompt: %s", line, fmt.Sprintf(format, args...)))
}

// node checks a node; top says that the dot is the event there.
func (c *checker) node(n parse.Node, top bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, item := range n.Nodes {
			c.node(item, top)
		}
	case *parse.ActionNode:
		c.pipe(n.Pipe, top)
		if len(n.Pipe.Decl) == 0 && !constant(n.Pipe) {
			call := parse.NewIdentifier(fence).SetTree(c.tree).SetPos(n.Pos)
			n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{call}})
		}
	case *parse.IfNode:
		c.branch(&n.BranchNode, top, top)
	case *parse.RangeNode:
		c.branch(&n.BranchNode, top, false)
	case *parse.WithNode:
		c.branch(&n.BranchNode, top, false)
	case *parse.TemplateNode:
		c.pipe(n.Pipe, top)
	}
}

func (c *checker) branch(n *parse.BranchNode, top, inner bool) {
	c.pipe(n.Pipe, top)
	c.node(n.List, inner)
	if n.ElseList != nil {
		c.node(n.ElseList, top)
	}
}

func (c *checker) pipe(p *parse.PipeNode, top bool) {
	if p == nil {
		return
	}
	for i, cmd := range p.Cmds {
		given := len(cmd.Args) - 1
		if i > 0 {
			given++ // what the command before it says
		}
		c.call(cmd, given)
		for _, arg := range cmd.Args {
			c.argument(arg, top)
		}
	}
}

// call checks how many arguments our own functions get.
func (c *checker) call(cmd *parse.CommandNode, given int) {
	name, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok {
		return
	}
	switch {
	case name.Ident == "toJSON" && given != 1:
		c.problem(cmd, "toJSON takes one value: write {{ .ToolInput | toJSON }}")
	case name.Ident == "truncate" && given != 2:
		c.problem(cmd, "truncate takes a number of bytes and a value: write {{ .ToolInput | toJSON | truncate 4000 }}")
	}
}

func (c *checker) argument(arg parse.Node, top bool) {
	switch n := arg.(type) {
	case *parse.FieldNode:
		if top {
			c.name(n, n.Ident[0])
		}
	case *parse.VariableNode:
		if c.main && n.Ident[0] == "$" && len(n.Ident) > 1 {
			c.name(n, n.Ident[1])
		}
	case *parse.ChainNode:
		c.argument(n.Node, top)
		if _, dot := n.Node.(*parse.DotNode); dot && top {
			c.name(n, n.Field[0])
		}
	case *parse.PipeNode:
		c.pipe(n, top)
	}
}

// name checks a name of the event's.
func (c *checker) name(n parse.Node, name string) {
	known := inputNames()
	for _, k := range known {
		if k == name {
			return
		}
	}
	c.problem(n, "events have no .%s%s", name, suggest.Hint(name, known))
}

// constant reports whether a pipeline inserts what the template itself spells out.
func constant(p *parse.PipeNode) bool {
	if len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	switch p.Cmds[0].Args[0].(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode:
		return true
	}
	return false
}

// A piece is a part of a question: text of the hook's author, or data that the
// event brought.
type piece struct {
	text string
	data bool
}

// A sink takes what a template writes.
type sink struct {
	pieces []piece
	size   int
	whole  bool // nothing is cut, and no length is too much
	cut    bool // something was
}

func (s *sink) add(text string, data bool) error {
	if s.size += len(text); s.size > maxPrompt && !s.whole {
		return errTooLong
	}
	if last := len(s.pieces) - 1; !data && last >= 0 && !s.pieces[last].data {
		s.pieces[last].text += text
	} else if data || text != "" {
		s.pieces = append(s.pieces, piece{text, data})
	}
	return nil
}

var errTooLong = fmt.Errorf("the question is longer than %d bytes: shorten the values that it inserts, as in {{ .ToolInput | toJSON | truncate 4000 }}", maxPrompt)

// Write takes text of the template.
func (s *sink) Write(b []byte) (int, error) { return len(b), s.add(string(b), false) }

// insert takes a value. It is called when all text before it was written.
func (s *sink) insert(v any) (string, error) {
	text, err := asText(v)
	if err != nil {
		return "", err
	}
	return "", s.add(strings.ToValidUTF8(text, "\uFFFD"), true)
}

// truncate is the template's, and notes what it drops.
func (s *sink) truncate(most int, v any) (string, error) {
	text, err := asText(v)
	if err != nil || len(text) <= most || s.whole {
		return text, err
	}
	s.cut = s.cut || text != ""
	return truncate(most, text)
}

// slice is text/template's for texts and lists, and notes what it drops.
func (s *sink) slice(v any, at ...int) (any, error) {
	val := reflect.ValueOf(v)
	if kind := val.Kind(); kind != reflect.String && kind != reflect.Slice {
		return nil, fmt.Errorf("slice takes a string or a list, not %T", v)
	}
	from, to := 0, val.Len()
	switch len(at) {
	case 0:
	case 1:
		from = at[0]
	case 2:
		from, to = at[0], at[1]
	default:
		return nil, errors.New("slice takes at most two numbers")
	}
	if from < 0 || to < from || to > val.Len() {
		return nil, fmt.Errorf("slice %d to %d is out of range: the value is %d long", from, to, val.Len())
	}
	s.cut = s.cut || to-from < val.Len()
	return val.Slice(from, to).Interface(), nil
}

// shortens finds verbs that print a part of a text.
var shortens = regexp.MustCompile(`%[^a-zA-Z%]*\.[^a-zA-Z%]*[svqxX]`)

func (s *sink) printf(format string, args ...any) string {
	s.cut = s.cut || shortens.MatchString(format)
	return fmt.Sprintf(format, args...)
}

// render fills in the event, and reports whether it dropped a part of a value. The
// whole question is one in which truncate drops nothing.
func (p *prompt) render(in input, whole bool) (pieces []piece, cut bool, err error) {
	t, err := p.parsed.Clone()
	if err != nil {
		return nil, false, err
	}
	out := sink{whole: whole}
	err = t.Funcs(template.FuncMap{fence: out.insert, "truncate": out.truncate, "slice": out.slice, "printf": out.printf}).Execute(&out, in)
	switch {
	case errors.Is(err, errTooLong):
		return nil, false, errTooLong
	case err != nil:
		return nil, false, plainError(err)
	}
	return out.pieces, out.cut, nil
}
