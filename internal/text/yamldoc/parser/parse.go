// Package parser reads YAML for package yamldoc, and registers itself there. Programs
// that must start fast leave it out and register a reader of their own.
package parser

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

const (
	maxNodes = 200000 // after aliases are expanded
	maxFixes = 200    // escapes mended in one file
)

func init() { yamldoc.Register(Parse) }

// Parse reads one document. Warnings are about text that was mended: escapes
// that YAML does not know in a double-quoted text are taken as written, because
// people write patterns such as "\.py$".
func Parse(src []byte) (root *yamldoc.Node, warnings []*yamldoc.Error, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, &yamldoc.Error{Line: 1, Msg: fmt.Sprintf("the file cannot be read: %v", p)}
		}
	}()
	if err := checkText(src); err != nil {
		return nil, nil, err
	}
	src = withoutDirectives(bytes.TrimPrefix(src, []byte("\ufeff"))) // which some editors begin files with
	var file *ast.File
	for range maxFixes {
		file, err = parser.ParseBytes(src, 0)
		if err == nil {
			break
		}
		said, line, column := splitError(err)
		fixed, escape := mend(src, said, line, column)
		if escape == "" {
			return nil, warnings, diagnose(src, said, line, column)
		}
		warnings = append(warnings, &yamldoc.Error{Line: line, Column: column, Msg: escape + " in double quotes means nothing to YAML, so it is taken literally", Remedy: "use single quotes"})
		src = fixed
	}
	if err != nil {
		return nil, warnings, diagnose(src, "", 1, 1)
	}
	if len(file.Docs) == 0 {
		return &yamldoc.Node{Line: 1}, warnings, nil
	}
	for _, doc := range file.Docs[1:] {
		if doc.Body != nil {
			return nil, warnings, secondDocument(doc.Body.GetToken().Position.Line)
		}
	}
	b := builder{anchors: map[string]ast.Node{}}
	root, err = b.node(file.Docs[0].Body, 0)
	return root, warnings, err
}

func secondDocument(line int) *yamldoc.Error {
	return &yamldoc.Error{Line: line, Msg: "a second document begins here", Remedy: "write one document per file: remove the --- line"}
}

// checkText rejects texts that the parser would take too long for or drop parts of.
func checkText(src []byte) error {
	if len(src) > yamldoc.MaxSize {
		return &yamldoc.Error{Line: 1, Msg: fmt.Sprintf("the file has %d bytes: at most %d are allowed", len(src), yamldoc.MaxSize)}
	}
	if !utf8.Valid(src) {
		return &yamldoc.Error{Line: 1 + bytes.Count(src[:invalidAt(src)], []byte("\n")), Msg: "not UTF-8 text"}
	}
	line := 1
	for text := range bytes.Lines(src) {
		if i := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }); i >= 0 {
			return &yamldoc.Error{Line: line, Msg: fmt.Sprintf("a control character (%#x): this is not a text file", text[i])}
		}
		if blockDepth(text) > yamldoc.MaxDepth {
			return &yamldoc.Error{Line: line, Msg: fmt.Sprintf("nested more than %d levels deep", yamldoc.MaxDepth)}
		}
		line++
	}
	if flowDepth(src) > yamldoc.MaxDepth {
		return &yamldoc.Error{Line: 1, Msg: fmt.Sprintf("nested more than %d levels deep", yamldoc.MaxDepth)}
	}
	return checkDocuments(src)
}

// checkDocuments refuses a document behind another, or behind an empty one: the
// parser forgets what follows an empty document.
func checkDocuments(src []byte) error {
	line, began, ended := 0, false, false // began: the first document has
	for text := range bytes.Lines(src) {
		line++
		rest := bytes.TrimSpace(text)
		if head, marks := yamldoc.DocumentMark(text); marks {
			ended = ended || began || head == "..."
			began = true
			rest = bytes.TrimSpace(text[len(head):])
		}
		if len(rest) == 0 || rest[0] == '#' || rest[0] == '%' && !began {
			continue
		}
		if ended {
			return secondDocument(line)
		}
		began = true
	}
	return nil
}

// withoutDirectives makes comments of the directives before the --- line of a text, such
// as %YAML 1.2, which the parser takes for a document of their own. Without that line
// they are a mistake, and stay.
func withoutDirectives(src []byte) []byte {
	out, at := src, 0
	for line := range bytes.Lines(src) {
		text := bytes.TrimSpace(line)
		switch _, marks := yamldoc.DocumentMark(line); {
		case marks:
			return out
		case len(text) > 0 && line[0] == '%':
			if &out[0] == &src[0] {
				out = bytes.Clone(src)
			}
			out[at] = '#'
		case len(text) > 0 && text[0] != '#':
			return src
		}
		at += len(line)
	}
	return src
}

func invalidAt(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(src)
}

// blockDepth bounds how deep a line can be in block style: every level costs at least one column of
// indentation or a dash before the line's text. Deep indentation of a text block is no nesting, so it
// counts only beyond what any person writes.
func blockDepth(line []byte) int {
	rest := bytes.TrimLeft(line, " ")
	depth := (len(line) - len(rest)) / 20
	for len(rest) > 1 && (rest[0] == '-' || rest[0] == '?') && rest[1] == ' ' {
		rest = bytes.TrimLeft(rest[2:], " ")
		depth++
	}
	return depth
}

// flowDepth is the deepest nesting of brackets, quotes and comments ignored or
// not: brackets inside texts are balanced often enough, and a file where they
// are not by a hundred is no file to read.
func flowDepth(src []byte) int {
	depth, deepest := 0, 0
	for _, c := range src {
		switch c {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// splitError splits a parser's error, which begins with [line:column].
func splitError(err error) (said string, line, column int) {
	said = err.Error()
	if _, scanErr := fmt.Sscanf(said, "[%d:%d]", &line, &column); scanErr == nil {
		_, said, _ = strings.Cut(said, "] ")
	}
	said, _, _ = strings.Cut(said, "\n")
	return said, max(1, line), column
}

// mend doubles the backslash of the unknown escape that the parser tells of, and of
// those that follow it in the same text. It returns the escape, "" = it is about
// something else.
func mend(src []byte, said string, line, column int) (fixed []byte, escape string) {
	if !strings.Contains(said, "unknown escape character") || column == 0 {
		return nil, ""
	}
	start := 0
	for range line - 1 {
		nl := bytes.IndexByte(src[start:], '\n')
		if nl < 0 {
			return nil, ""
		}
		start += nl + 1
	}
	i := start
	for range column - 1 {
		_, n := utf8.DecodeRune(src[i:])
		i += n
	}
	// The parser points at the character after the backslash or at the
	// backslash itself.
	for _, at := range [...]int{i - 1, i} {
		if at >= start && at < len(src) && src[at] == '\\' {
			_, n := utf8.DecodeRune(src[at+1:])
			return append(append([]byte{}, src[:at]...), mendText(src[at:])...), string(src[at : at+1+n])
		}
	}
	return nil, ""
}

// mendText doubles the backslash that rest begins with, and those of unknown
// escapes up to the quote that ends the text.
func mendText(rest []byte) []byte {
	out := []byte(`\\`)
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '"':
			return append(out, rest[i:]...)
		case rest[i] != '\\' || i+1 == len(rest):
			out = append(out, rest[i])
		case strings.IndexByte("0abtnvfre \"/\\N_LPxuU\t\r\n", rest[i+1]) >= 0:
			out = append(out, rest[i], rest[i+1])
			i++
		default:
			out = append(out, '\\', '\\')
		}
	}
	return out
}

// A builder turns the parser's tree into ours.
type builder struct {
	anchors map[string]ast.Node
	nodes   int
}

var errTooLarge = errors.New("too many values, or aliases that repeat each other")

func (b *builder) node(n ast.Node, depth int) (*yamldoc.Node, error) {
	if n == nil {
		return &yamldoc.Node{Line: 1}, nil
	}
	line := n.GetToken().Position.Line
	if b.nodes++; b.nodes > maxNodes {
		return nil, &yamldoc.Error{Line: line, Msg: errTooLarge.Error()}
	}
	if depth > yamldoc.MaxDepth {
		return nil, &yamldoc.Error{Line: line, Msg: fmt.Sprintf("nested more than %d levels deep", yamldoc.MaxDepth)}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.buildMapping(n.Values, line, depth)
	case *ast.MappingValueNode:
		return b.buildMapping([]*ast.MappingValueNode{n}, line, depth)
	case *ast.SequenceNode:
		out := &yamldoc.Node{Kind: yamldoc.List, Line: line}
		for _, v := range n.Values {
			item, err := b.node(v, depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, item)
		}
		return out, nil
	case *ast.AnchorNode:
		b.anchors[n.Name.GetToken().Value] = n.Value
		return b.node(n.Value, depth+1)
	case *ast.AliasNode:
		target, ok := b.anchors[n.Value.GetToken().Value]
		if !ok {
			name := n.Value.GetToken().Value
			return nil, &yamldoc.Error{Line: line, Column: n.GetToken().Position.Column, Msg: fmt.Sprintf("*%s refers to &%s, which is not in the file", name, name), Remedy: "if the * is part of the string, put the string in quotes"}
		}
		return b.node(target, depth+1)
	case *ast.TagNode:
		return b.buildTagged(n, depth)
	}
	return scalar(n, line)
}

// buildTagged builds a node with a tag. !!str turns any value into a text; YAML's other tags are
// ignored. A custom tag is refused: without a value after it, the parser takes the next line for one.
func (b *builder) buildTagged(n *ast.TagNode, depth int) (*yamldoc.Node, error) {
	if tag := n.GetToken(); !strings.HasPrefix(tag.Value, "!!") {
		return nil, &yamldoc.Error{Line: tag.Position.Line, Column: tag.Position.Column, Msg: "a string that starts with ! needs quotes", Remedy: quoteRemedy(tag.Value)}
	}
	out, err := b.node(n.Value, depth+1)
	if err == nil && n.GetToken().Value == "!!str" && (out.Kind == yamldoc.Number || out.Kind == yamldoc.Bool) {
		out.Kind, out.Text, out.Quoted = yamldoc.Text, out.Written, true
	}
	return out, err
}

// buildMapping builds a map from its pairs.
func (b *builder) buildMapping(values []*ast.MappingValueNode, line, depth int) (*yamldoc.Node, error) {
	out := &yamldoc.Node{Kind: yamldoc.Map, Line: line}
	if len(values) > 0 {
		out.Line = values[0].Key.GetToken().Position.Line
	}
	for _, v := range values {
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			from, err := b.node(v.Value, depth+1)
			if err != nil {
				return nil, err
			}
			if err := mergeInto(out, from); err != nil {
				return nil, err
			}
			continue
		}
		key, err := keyOf(v.Key)
		if err != nil {
			return nil, err
		}
		val, err := b.node(v.Value, depth+1)
		if err != nil {
			return nil, err
		}
		set(out, yamldoc.Pair{Key: key, Line: v.Key.GetToken().Position.Line, Value: val})
	}
	return out, nil
}

// mergeInto adds the members of from that out does not have (YAML's <<). Of
// a list of mappings the earlier one counts.
func mergeInto(out, from *yamldoc.Node) error {
	list := []*yamldoc.Node{from}
	if from.Kind == yamldoc.List {
		list = from.Items
	}
	for _, f := range list {
		if f.Kind != yamldoc.Map {
			return &yamldoc.Error{Line: f.Line, Msg: fmt.Sprintf("<< must be a mapping or a list of mappings, not %s", f.Kind)}
		}
		for _, p := range f.Pairs {
			if out.Get(p.Key) == nil {
				out.Pairs = append(out.Pairs, p)
			}
		}
	}
	return nil
}

// set adds a member; one that was merged in is replaced.
func set(n *yamldoc.Node, p yamldoc.Pair) {
	for i := range n.Pairs {
		if n.Pairs[i].Key == p.Key {
			n.Pairs[i] = p
			return
		}
	}
	n.Pairs = append(n.Pairs, p)
}

func keyOf(n ast.MapKeyNode) (string, error) {
	if k, ok := n.(*ast.MappingKeyNode); ok {
		if s, ok := k.Value.(ast.ScalarNode); ok {
			return s.GetToken().Value, nil
		}
	}
	if _, ok := n.(ast.ScalarNode); !ok {
		return "", &yamldoc.Error{Line: n.GetToken().Position.Line, Msg: "a key must be a plain string"}
	}
	return n.GetToken().Value, nil
}

func scalar(n ast.Node, line int) (*yamldoc.Node, error) {
	out := &yamldoc.Node{Line: line, Column: n.GetToken().Position.Column, Text: n.GetToken().Value, Written: n.GetToken().Value}
	switch n := n.(type) {
	case *ast.NullNode:
		out.Kind, out.Text = yamldoc.Null, ""
	case *ast.StringNode:
		out.Kind, out.Text = yamldoc.Text, n.Value
		out.Quoted = n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
	case *ast.LiteralNode:
		out.Kind, out.Text, out.Quoted = yamldoc.Text, n.Value.Value, true
	case *ast.BoolNode:
		out.Kind, out.Text = yamldoc.Bool, strconv.FormatBool(n.Value)
	case *ast.IntegerNode:
		out.Kind, out.Text = yamldoc.Number, fmt.Sprint(n.Value)
	case *ast.FloatNode:
		out.Kind, out.Text = yamldoc.Number, strconv.FormatFloat(n.Value, 'g', -1, 64)
	case *ast.InfinityNode, *ast.NanNode:
		return nil, &yamldoc.Error{Line: line, Msg: n.GetToken().Value + " is not a number that can be used here"}
	default:
		return nil, &yamldoc.Error{Line: line, Msg: "this YAML syntax is not supported here", Remedy: "put the string in quotes"}
	}
	return out, nil
}
