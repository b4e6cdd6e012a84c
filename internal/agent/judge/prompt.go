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

// A prompt is a checked template.
type prompt struct {
	source string
	parsed *template.Template
}

// fenceFunc is the function at the end of every pipeline that inserts a value. Templates cannot call
// it: it is not defined while they are parsed.
const fenceFunc = "_fence"

// templateFuncs returns the functions of templates beside those of text/template. They only use the
// event.
func templateFuncs() template.FuncMap {
	return template.FuncMap{"toJSON": toJSON, "truncate": truncate}
}

// truncate shortens a text to at most this many bytes.
func truncate(most int, v any) (string, error) {
	s, err := toText(v)
	if err != nil || len(s) <= max(most, 0) {
		return s, err
	}
	end := max(most, 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…", nil
}

// compilePrompt parses a template, and finds errors that would otherwise show later.
func compilePrompt(source string) (*prompt, error) {
	if strings.TrimSpace(source) == "" {
		return nil, errors.New("the hook has no prompt: write the question for the judge")
	}
	t, err := template.New("prompt").Funcs(templateFuncs()).Parse(source)
	if err != nil {
		return nil, templateError(err)
	}
	var c checker
	for _, part := range t.Templates() {
		c.tree, c.main = part.Tree, part.Name() == "prompt"
		if part.Tree != nil {
			c.checkNode(part.Root, c.main)
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

var templatePosition = regexp.MustCompile(`^template: [^:]*:(\d+):(?:\d+:)? ?`)

// templateError returns an error of a template with the line of the prompt.
func templateError(err error) error {
	return errors.New(templatePosition.ReplaceAllString(err.Error(), "line $1 of the prompt: "))
}

// A checker checks a template for errors that would only show when it runs, and adds the fence to
// pipelines that insert values.
type checker struct {
	tree *parse.Tree
	main bool
	errs []error
}

func (c *checker) addError(n parse.Node, format string, args ...any) {
	place, _ := c.tree.ErrorContext(n)
	line := "?"
	if parts := strings.Split(place, ":"); len(parts) > 1 {
		line = parts[1]
	}
	c.errs = append(c.errs, fmt.Errorf("line %s of the prompt: %s", line, fmt.Sprintf(format, args...)))
}

// checkNode checks a node; top is set if the dot is the event there.
func (c *checker) checkNode(n parse.Node, top bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, item := range n.Nodes {
			c.checkNode(item, top)
		}
	case *parse.ActionNode:
		c.checkPipe(n.Pipe, top)
		if len(n.Pipe.Decl) == 0 && !isConstant(n.Pipe) {
			call := parse.NewIdentifier(fenceFunc).SetTree(c.tree).SetPos(n.Pos)
			n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{call}})
		}
	case *parse.IfNode:
		c.checkBranch(&n.BranchNode, top, top)
	case *parse.RangeNode:
		c.checkBranch(&n.BranchNode, top, false)
	case *parse.WithNode:
		c.checkBranch(&n.BranchNode, top, false)
	case *parse.TemplateNode:
		c.checkPipe(n.Pipe, top)
	}
}

func (c *checker) checkBranch(n *parse.BranchNode, top, inner bool) {
	c.checkPipe(n.Pipe, top)
	c.checkNode(n.List, inner)
	if n.ElseList != nil {
		c.checkNode(n.ElseList, top)
	}
}

func (c *checker) checkPipe(p *parse.PipeNode, top bool) {
	if p == nil {
		return
	}
	for i, cmd := range p.Cmds {
		args := len(cmd.Args) - 1
		if i > 0 {
			args++ // the result of the previous command
		}
		c.checkCall(cmd, args)
		for _, arg := range cmd.Args {
			c.checkArgument(arg, top)
		}
	}
}

// checkCall checks the number of arguments of toJSON and truncate.
func (c *checker) checkCall(cmd *parse.CommandNode, args int) {
	name, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok {
		return
	}
	switch {
	case name.Ident == "toJSON" && args != 1:
		c.addError(cmd, "toJSON takes one value: write {{ .ToolInput | toJSON }}")
	case name.Ident == "truncate" && args != 2:
		c.addError(cmd, "truncate takes a number of bytes and a value: write {{ .ToolInput | toJSON | truncate 4000 }}")
	}
}

func (c *checker) checkArgument(arg parse.Node, top bool) {
	switch n := arg.(type) {
	case *parse.FieldNode:
		if top {
			c.checkName(n, n.Ident[0])
		}
	case *parse.VariableNode:
		if c.main && n.Ident[0] == "$" && len(n.Ident) > 1 {
			c.checkName(n, n.Ident[1])
		}
	case *parse.ChainNode:
		c.checkArgument(n.Node, top)
		if _, dot := n.Node.(*parse.DotNode); dot && top {
			c.checkName(n, n.Field[0])
		}
	case *parse.PipeNode:
		c.checkPipe(n, top)
	}
}

// checkName checks the name of a field of the event.
func (c *checker) checkName(n parse.Node, name string) {
	known := inputNames()
	for _, k := range known {
		if k == name {
			return
		}
	}
	c.addError(n, "events have no .%s%s", name, suggest.Hint(name, known))
}

// isConstant reports whether a pipeline inserts a literal of the template.
func isConstant(p *parse.PipeNode) bool {
	if len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	switch p.Cmds[0].Args[0].(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode:
		return true
	}
	return false
}

// A piece is a part of a question: text of the hook's author, or data of the event.
type piece struct {
	text string
	data bool
}

// A pieceWriter collects the output of a template.
type pieceWriter struct {
	pieces    []piece
	size      int
	whole     bool // nothing is truncated, and the length is not limited
	truncated bool // a value was shortened
}

func (s *pieceWriter) add(text string, data bool) error {
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

// Write adds text of the template.
func (s *pieceWriter) Write(b []byte) (int, error) { return len(b), s.add(string(b), false) }

// insert adds a value. The template calls it after writing all text before the value.
func (s *pieceWriter) insert(v any) (string, error) {
	text, err := toText(v)
	if err != nil {
		return "", err
	}
	return "", s.add(strings.ToValidUTF8(text, "\uFFFD"), true)
}

// truncate is the template function, and records whether it shortened a value.
func (s *pieceWriter) truncate(most int, v any) (string, error) {
	text, err := toText(v)
	if err != nil || len(text) <= most || s.whole {
		return text, err
	}
	s.truncated = s.truncated || text != ""
	return truncate(most, text)
}

// slice is that of text/template for strings and lists, and records whether it shortened a value.
func (s *pieceWriter) slice(v any, at ...int) (any, error) {
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
	s.truncated = s.truncated || to-from < val.Len()
	return val.Slice(from, to).Interface(), nil
}

// shorteningVerb matches verbs with a precision, which print a part of a text.
var shorteningVerb = regexp.MustCompile(`%[^a-zA-Z%]*\.[^a-zA-Z%]*[svqxX]`)

func (s *pieceWriter) printf(format string, args ...any) string {
	s.truncated = s.truncated || shorteningVerb.MatchString(format)
	return fmt.Sprintf(format, args...)
}

// render fills in the event, and reports whether it shortened a value. With whole, truncate does
// nothing.
func (p *prompt) render(in input, whole bool) (pieces []piece, truncated bool, err error) {
	t, err := p.parsed.Clone()
	if err != nil {
		return nil, false, err
	}
	out := pieceWriter{whole: whole}
	err = t.Funcs(template.FuncMap{fenceFunc: out.insert, "truncate": out.truncate, "slice": out.slice, "printf": out.printf}).Execute(&out, in)
	switch {
	case errors.Is(err, errTooLong):
		return nil, false, errTooLong
	case err != nil:
		return nil, false, templateError(err)
	}
	return out.pieces, out.truncated, nil
}
