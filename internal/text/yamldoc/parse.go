package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An Error is a problem at a line of a file.
type Error struct {
	Line   int
	Column int // in characters, from 1; 0 = the whole line
	Msg    string
	Remedy string // what to do about it; "" = Msg says it
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text()) }

// Text returns the message with its remedy, without the line.
func (e *Error) Text() string {
	if e.Remedy == "" {
		return e.Msg
	}
	return e.Msg + " (" + e.Remedy + ")"
}

// A Reader parses one YAML document. Its warnings are about text that it corrected.
type Reader func(src []byte) (root *Node, warnings []*Error, err error)

// ErrUnavailable means that the text could not be parsed because no parser ran. The text may be valid.
var ErrUnavailable = errors.New("YAML cannot be read now")

var readYAML Reader = func([]byte) (*Node, []*Error, error) {
	return nil, nil, fmt.Errorf("%w: this program was built without a reader", ErrUnavailable)
}

// Register makes r the function that parses YAML in this process. It must be called before the first
// [Parse]; importing package parser does that.
func Register(r Reader) { readYAML = r }

// Parse parses one document: JSON itself, and anything else with the registered [Reader].
func Parse(src []byte) (root *Node, warnings []*Error, err error) {
	if root := parseJSON(src); root != nil {
		return root, nil, nil
	}
	return readYAML(src)
}

// parseJSON returns the tree of a JSON object or array. It returns nil for any other text, and for
// JSON that must be rejected, so that the YAML parser reports the error with its line.
func parseJSON(src []byte) *Node {
	text := bytes.TrimLeft(src, " \t\r\n")
	if len(src) > MaxSize || len(text) == 0 || text[0] != '{' && text[0] != '[' || rawjson.Check(src) != nil {
		return nil
	}
	b := jsonBuilder{src: src, r: rawjson.NewReader(src), line: 1}
	root := b.buildValue(0)
	if b.rejected {
		return nil
	}
	return root
}

// A jsonBuilder builds the tree of JSON text that passed rawjson.Check.
type jsonBuilder struct {
	src      []byte
	r        rawjson.Reader
	at, line int // an offset in src, and its line
	rejected bool
}

// position returns the line and the column of the next value.
func (b *jsonBuilder) position() (line, column int) {
	at := b.r.Offset()
	b.line += bytes.Count(b.src[b.at:at], []byte("\n"))
	b.at = at
	return b.line, 1 + utf8.RuneCount(b.src[bytes.LastIndexByte(b.src[:at], '\n')+1:at])
}

// buildValue returns the node of the next value, or nil if the document is rejected.
func (b *jsonBuilder) buildValue(depth int) *Node {
	line, column := b.position()
	if b.rejected = b.rejected || depth > MaxDepth; b.rejected {
		return nil
	}
	switch b.r.Kind() {
	case '{':
		return b.buildObject(line, depth)
	case '[':
		out := &Node{Kind: List, Line: line}
		for b.r.Enter(); !b.rejected && b.r.NextElement(); {
			out.Items = append(out.Items, b.buildValue(depth+1))
		}
		return out
	}
	raw := b.r.Value()
	out := &Node{Line: line, Column: column, Text: string(raw), Written: string(raw)}
	switch rawjson.Kind(raw) {
	case '"':
		out.Kind, out.Quoted = Text, true
		out.Text, _ = rawjson.Text(raw)
		out.Written = out.Text
	case '0':
		out.Kind, out.Text = Number, numberText(out.Written)
	case 'b':
		out.Kind = Bool
	default:
		out.Text = ""
	}
	return out
}

// buildObject returns the node of the next value, an object that begins at line.
func (b *jsonBuilder) buildObject(line, depth int) *Node {
	out := &Node{Kind: Map, Line: line}
	names := map[string]bool{}
	for b.r.Enter(); !b.rejected; {
		key, ok := b.r.Key()
		if !ok {
			break
		}
		keyLine, _ := b.position()
		if len(out.Pairs) == 0 {
			out.Line = keyLine
		}
		b.rejected = names[string(key)]
		names[string(key)] = true
		out.Pairs = append(out.Pairs, Pair{string(key), keyLine, b.buildValue(depth + 1)})
	}
	return out
}

// numberText returns a JSON number without insignificant digits and signs.
func numberText(written string) string {
	if n, err := strconv.ParseInt(written, 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	if n, err := strconv.ParseUint(written, 10, 64); err == nil {
		return strconv.FormatUint(n, 10)
	}
	f, err := strconv.ParseFloat(written, 64)
	if err != nil {
		return written
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
