// Package parser parses YAML for package yamldoc, and registers itself there. Programs that must start
// fast do not import it and register another reader.
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
	maxNodes = 200000 // after expanding aliases
	maxFixes = 200    // strings with corrected escapes in one file
)

func init() { yamldoc.Register(Parse) }

// Parse parses one document. The warnings are about text that it corrected: an escape in a
// double-quoted string that YAML does not have is taken literally, because people write patterns such
// as "\.py$".
func Parse(src []byte) (root *yamldoc.Node, warnings []*yamldoc.Error, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, &yamldoc.Error{Line: 1, Msg: fmt.Sprintf("the file cannot be read: %v", p)}
		}
	}()
	if err := checkText(src); err != nil {
		return nil, nil, err
	}
	src = withoutDirectives(bytes.TrimPrefix(src, []byte("\ufeff"))) // some editors write a byte order mark
	var file *ast.File
	for range maxFixes {
		file, err = parser.ParseBytes(src, 0)
		if err == nil {
			break
		}
		said, line, column := splitError(err)
		fixed, escape := fixEscape(src, said, line, column)
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
			return nil, warnings, errSecondDocument(doc.Body.GetToken().Position.Line)
		}
	}
	b := builder{anchors: map[string]ast.Node{}}
	root, err = b.buildNode(file.Docs[0].Body, 0)
	return root, warnings, err
}

// errSecondDocument returns the error for a file in which a second document begins at line.
func errSecondDocument(line int) *yamldoc.Error {
	return &yamldoc.Error{Line: line, Msg: "a second document begins here", Remedy: "write one document per file: remove the --- line"}
}

// checkText rejects texts for which the parser would take too long or of which it would drop parts.
func checkText(src []byte) error {
	if len(src) > yamldoc.MaxSize {
		return &yamldoc.Error{Line: 1, Msg: fmt.Sprintf("the file has %d bytes: at most %d are allowed", len(src), yamldoc.MaxSize)}
	}
	if !utf8.Valid(src) {
		return &yamldoc.Error{Line: 1 + bytes.Count(src[:invalidUTF8Offset(src)], []byte("\n")), Msg: "not UTF-8 text"}
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

// checkDocuments rejects a text with a second document, even if the first one is empty. The parser
// ignores what follows an empty document.
func checkDocuments(src []byte) error {
	line, began, ended := 0, false, false // began and ended refer to the first document
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
			return errSecondDocument(line)
		}
		began = true
	}
	return nil
}

// withoutDirectives turns directives before the --- line, such as %YAML 1.2, into comments, because
// the parser takes them for a separate document. Without a --- line they are a mistake and stay.
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

// invalidUTF8Offset returns the offset of the first byte that is not valid UTF-8, or len(src).
func invalidUTF8Offset(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(src)
}

// blockDepth returns an estimate of how deeply a line is nested in block style. Each dash before the
// text is a level. Indentation counts only for a level per 20 columns, because text blocks may be
// indented without being nested.
func blockDepth(line []byte) int {
	rest := bytes.TrimLeft(line, " ")
	depth := (len(line) - len(rest)) / 20
	for len(rest) > 1 && (rest[0] == '-' || rest[0] == '?') && rest[1] == ' ' {
		rest = bytes.TrimLeft(rest[2:], " ")
		depth++
	}
	return depth
}

// flowDepth returns the deepest nesting of brackets. It also counts brackets in strings and comments,
// which are usually balanced; a file with a hundred unbalanced ones is not worth reading.
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

// splitError splits an error of the parser, which begins with [line:column].
func splitError(err error) (said string, line, column int) {
	said = err.Error()
	if _, scanErr := fmt.Sscanf(said, "[%d:%d]", &line, &column); scanErr == nil {
		_, said, _ = strings.Cut(said, "] ")
	}
	said, _, _ = strings.Cut(said, "\n")
	return said, max(1, line), column
}

// fixEscape doubles the backslash of the unknown escape that the parser reported, and those of further
// unknown escapes in the same string. It returns the escape, or "" if said is about something else.
func fixEscape(src []byte, said string, line, column int) (fixed []byte, escape string) {
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
	// The parser reports the position of the character after the backslash or of the
	// backslash itself.
	for _, at := range [...]int{i - 1, i} {
		if at >= start && at < len(src) && src[at] == '\\' {
			_, n := utf8.DecodeRune(src[at+1:])
			return append(append([]byte{}, src[:at]...), doubleBackslashes(src[at:])...), string(src[at : at+1+n])
		}
	}
	return nil, ""
}

// doubleBackslashes doubles the backslash with which rest begins, and those of unknown escapes up to
// the closing quote of the string.
func doubleBackslashes(rest []byte) []byte {
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

// A builder converts the tree of the YAML library into nodes.
type builder struct {
	anchors map[string]ast.Node
	nodes   int
}

var errTooLarge = errors.New("too many values, or aliases that repeat each other")

// buildNode converts n and everything below it.
func (b *builder) buildNode(n ast.Node, depth int) (*yamldoc.Node, error) {
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
			item, err := b.buildNode(v, depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, item)
		}
		return out, nil
	case *ast.AnchorNode:
		b.anchors[n.Name.GetToken().Value] = n.Value
		return b.buildNode(n.Value, depth+1)
	case *ast.AliasNode:
		target, ok := b.anchors[n.Value.GetToken().Value]
		if !ok {
			name := n.Value.GetToken().Value
			return nil, &yamldoc.Error{Line: line, Column: n.GetToken().Position.Column, Msg: fmt.Sprintf("*%s refers to &%s, which is not in the file", name, name), Remedy: "if the * is part of the string, put the string in quotes"}
		}
		return b.buildNode(target, depth+1)
	case *ast.TagNode:
		return b.buildTagged(n, depth)
	}
	return buildScalar(n, line)
}

// buildTagged converts a node with a tag. !!str turns a number or boolean into text; other tags of
// YAML are ignored. A custom tag is rejected, because the parser takes the next line for its value if
// it has none.
func (b *builder) buildTagged(n *ast.TagNode, depth int) (*yamldoc.Node, error) {
	if tag := n.GetToken(); !strings.HasPrefix(tag.Value, "!!") {
		return nil, &yamldoc.Error{Line: tag.Position.Line, Column: tag.Position.Column, Msg: "a string that starts with ! needs quotes", Remedy: quoteRemedy(tag.Value)}
	}
	out, err := b.buildNode(n.Value, depth+1)
	if err == nil && n.GetToken().Value == "!!str" && (out.Kind == yamldoc.Number || out.Kind == yamldoc.Bool) {
		out.Kind, out.Text, out.Quoted = yamldoc.Text, out.Written, true
	}
	return out, err
}

// buildMapping converts the pairs of a mapping.
func (b *builder) buildMapping(values []*ast.MappingValueNode, line, depth int) (*yamldoc.Node, error) {
	out := &yamldoc.Node{Kind: yamldoc.Map, Line: line}
	if len(values) > 0 {
		out.Line = values[0].Key.GetToken().Position.Line
	}
	for _, v := range values {
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			from, err := b.buildNode(v.Value, depth+1)
			if err != nil {
				return nil, err
			}
			if err := mergeInto(out, from); err != nil {
				return nil, err
			}
			continue
		}
		key, err := keyText(v.Key)
		if err != nil {
			return nil, err
		}
		val, err := b.buildNode(v.Value, depth+1)
		if err != nil {
			return nil, err
		}
		setPair(out, yamldoc.Pair{Key: key, Line: v.Key.GetToken().Position.Line, Value: val})
	}
	return out, nil
}

// mergeInto adds the members of from that out does not have, as YAML's << does. If from is a list of
// mappings, earlier mappings take precedence.
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

// setPair adds p to n, or replaces the pair with the same key, which was merged in.
func setPair(n *yamldoc.Node, p yamldoc.Pair) {
	for i := range n.Pairs {
		if n.Pairs[i].Key == p.Key {
			n.Pairs[i] = p
			return
		}
	}
	n.Pairs = append(n.Pairs, p)
}

// keyText returns the text of a key. It returns an error if the key is not a scalar.
func keyText(n ast.MapKeyNode) (string, error) {
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

// buildScalar converts a scalar.
func buildScalar(n ast.Node, line int) (*yamldoc.Node, error) {
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
