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

// A prompt is a template that was parsed and checked.
type prompt struct {
	source string
	parsed *template.Template
}

// fenceFunc is the function at the end of every pipeline that inserts a value. Templates cannot call
// it, because it is not defined while they are parsed.
const fenceFunc = "_fence"

// templateFuncs returns the functions that templates have in addition to those of text/template. They
// depend on nothing but their arguments.
func templateFuncs() template.FuncMap {
	return template.FuncMap{"toJSON": toJSON, "truncate": truncate}
}

// truncate returns v as text of at most most bytes, followed by "…" if it was longer.
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

// compilePrompt parses source as a template, and reports errors that would otherwise show only when it
// runs.
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

// templateError returns err with the line of the prompt instead of the template's name and position.
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

// addError adds an error at the line of n.
func (c *checker) addError(n parse.Node, format string, args ...any) {
	place, _ := c.tree.ErrorContext(n)
	line := "?"
	if parts := strings.Split(place, ":"); len(parts) > 1 {
		line = parts[1]
	}
	c.errs = append(c.errs, fmt.Errorf("line %s of the prompt: %s", line, fmt.Sprintf(format, args...)))
}

// checkNode checks n and what it contains. top is set if the dot stands for the event there.
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

// checkBranch checks n. inner is the value of top for the list that the pipeline selects.
func (c *checker) checkBranch(n *parse.BranchNode, top, inner bool) {
	c.checkPipe(n.Pipe, top)
	c.checkNode(n.List, inner)
	if n.ElseList != nil {
		c.checkNode(n.ElseList, top)
	}
}

// checkPipe checks the calls and arguments in p, which may be nil.
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

// checkCall reports cmd if it calls toJSON or truncate with a wrong number of arguments, args.
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

// checkArgument checks the fields of the event that arg names.
func (c *checker) checkArgument(arg parse.Node, top bool) {
	switch n := arg.(type) {
	case *parse.FieldNode:
		if top {
			c.checkFieldName(n, n.Ident[0])
		}
	case *parse.VariableNode:
		if c.main && n.Ident[0] == "$" && len(n.Ident) > 1 {
			c.checkFieldName(n, n.Ident[1])
		}
	case *parse.ChainNode:
		c.checkArgument(n.Node, top)
		if _, dot := n.Node.(*parse.DotNode); dot && top {
			c.checkFieldName(n, n.Field[0])
		}
	case *parse.PipeNode:
		c.checkPipe(n, top)
	}
}

// checkFieldName reports n if name is not that of a field of the event.
func (c *checker) checkFieldName(n parse.Node, name string) {
	known := inputNames()
	for _, k := range known {
		if k == name {
			return
		}
	}
	c.addError(n, "events have no .%s%s", name, suggest.Hint(name, known))
}

// isConstant reports whether p consists of a single literal.
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

// A pieceWriter collects the output of a template as pieces.
type pieceWriter struct {
	pieces    []piece
	size      int
	whole     bool // nothing is truncated, and the length is not limited
	truncated bool // a value was shortened
}

// addPiece adds text as a piece, or to the last one if both are text of the template. It returns
// errTooLong if the question becomes too long.
func (s *pieceWriter) addPiece(text string, data bool) error {
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
func (s *pieceWriter) Write(b []byte) (int, error) { return len(b), s.addPiece(string(b), false) }

// insertData adds v as data, and returns "" for the template to print. The template calls it after
// writing all text before the value.
func (s *pieceWriter) insertData(v any) (string, error) {
	text, err := toText(v)
	if err != nil {
		return "", err
	}
	return "", s.addPiece(strings.ToValidUTF8(text, "\uFFFD"), true)
}

// truncate is the template function of that name. It records whether it shortened a value.
func (s *pieceWriter) truncate(most int, v any) (string, error) {
	text, err := toText(v)
	if err != nil || len(text) <= most || s.whole {
		return text, err
	}
	s.truncated = s.truncated || text != ""
	return truncate(most, text)
}

// slice replaces the slice function of text/template, for strings and lists. It records whether it
// shortened a value.
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

// shorteningVerb matches verbs with a precision, which may print only a part of a text.
var shorteningVerb = regexp.MustCompile(`%[^a-zA-Z%]*\.[^a-zA-Z%]*[svqxX]`)

// printf replaces the printf function of text/template. It records whether it may have shortened a
// value.
func (s *pieceWriter) printf(format string, args ...any) string {
	s.truncated = s.truncated || shorteningVerb.MatchString(format)
	return fmt.Sprintf(format, args...)
}

// render executes the template on in, and reports whether it shortened a value. If untruncated is
// set, truncate does nothing.
func (p *prompt) render(in input, untruncated bool) (pieces []piece, truncated bool, err error) {
	t, err := p.parsed.Clone()
	if err != nil {
		return nil, false, err
	}
	out := pieceWriter{whole: untruncated}
	err = t.Funcs(template.FuncMap{fenceFunc: out.insertData, "truncate": out.truncate, "slice": out.slice, "printf": out.printf}).Execute(&out, in)
	switch {
	case errors.Is(err, errTooLong):
		return nil, false, errTooLong
	case err != nil:
		return nil, false, templateError(err)
	}
	return out.pieces, out.truncated, nil
}
