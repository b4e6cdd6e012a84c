// Package yamldoc parses a YAML or JSON configuration file into a tree with line numbers, so that
// every error message can name a line.
//
// Files may come from a repository that the user has not reviewed. So the size, the depth and the
// expansion of aliases are limited, and panics of the parser become errors.
package yamldoc

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	MaxSize  = 1 << 20 // bytes of a file
	MaxDepth = 100     // levels of nesting
)

// A Kind is the type of a node.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Text
	Number
	Bool
	List
	Map
)

// String returns the name of the kind with its article, for messages.
func (k Kind) String() string {
	return [...]string{"null", "a string", "a number", "a boolean", "a list", "a mapping"}[k]
}

// A Node is a value in the file.
type Node struct {
	Kind   Kind
	Line   int
	Column int    // in characters, from 1; 0 = unknown
	Text   string // the value of a Text, Number or Bool
	// Written is the value as written in the file: 1.10 stays 1.10.
	Written string
	Quoted  bool // a Text is in quotes
	Items   []*Node
	Pairs   []Pair
}

// A Pair is a member of a Map, in the file's order.
type Pair struct {
	Key   string
	Line  int
	Value *Node
}

// Get returns the value of the member key, or nil if there is none or n is not a Map.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Pairs {
		if n.Pairs[i].Key == key {
			return n.Pairs[i].Value
		}
	}
	return nil
}

// Members returns the members of a Map, or nil if n is not a Map.
func (n *Node) Members() []Pair {
	if n == nil {
		return nil
	}
	return n.Pairs
}

// IsNull reports whether n is nil or null.
func (n *Node) IsNull() bool { return n == nil || n.Kind == Null }

// JSON returns the value as JSON. Numbers stay as written if they are valid JSON.
func (n *Node) JSON() []byte { return n.appendJSON(nil) }

func (n *Node) appendJSON(b []byte) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	switch n.Kind {
	case Text:
		return rawjson.AppendString(b, n.Text)
	case Number:
		if rawjson.Kind([]byte(n.Written)) == '0' && rawjson.Check([]byte(n.Written)) == nil {
			return append(b, n.Written...)
		}
		return append(b, n.Text...)
	case Bool:
		return append(b, n.Text...)
	case List:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	case Map:
		b = append(b, '{')
		for i, p := range n.Pairs {
			if i > 0 {
				b = append(b, ',')
			}
			b = rawjson.AppendString(b, p.Key)
			b = append(b, ':')
			b = p.Value.appendJSON(b)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// AsYAML11Bool returns n as a Bool if it is an unquoted boolean of YAML 1.1, such as yes or off, and
// otherwise n itself. The files of systems whose parsers follow YAML 1.1 have such values.
func (n *Node) AsYAML11Bool() *Node {
	if n == nil || n.Kind != Text || n.Quoted {
		return n
	}
	for _, word := range [...]struct{ text, is string }{{"yes", "true"}, {"on", "true"}, {"true", "true"}, {"no", "false"}, {"off", "false"}, {"false", "false"}} {
		if t := word.text; n.Text == t || n.Text == strings.ToUpper(t[:1])+t[1:] || n.Text == strings.ToUpper(t) {
			out := *n
			out.Kind, out.Text = Bool, word.is
			return &out
		}
	}
	return n
}

// Amount returns the value of a number. It reports false if n is not a number, or is negative or
// infinite.
func (n *Node) Amount() (float64, bool) {
	f, err := strconv.ParseFloat(n.ScalarText(), 64)
	return f, err == nil && n.Kind == Number && f >= 0 && !math.IsInf(f, 0)
}

// Duration returns a duration that is written as seconds or with units: 90, "90", 1m30s, 500ms. It
// reports false if n is not a duration or is negative.
func (n *Node) Duration() (time.Duration, bool) {
	if n == nil || n.Kind != Number && n.Kind != Text {
		return 0, false
	}
	if f, err := strconv.ParseFloat(n.Text, 64); err == nil {
		if !(f >= 0) {
			return 0, false
		}
		return time.Duration(min(f*float64(time.Second), math.MaxInt64/2)), true
	}
	d, err := time.ParseDuration(n.Text)
	return d, err == nil && d >= 0
}

// Display returns the node for a message: its text in quotes, or its kind.
func (n *Node) Display() string {
	if n.Kind == List || n.Kind == Map {
		return n.Kind.String()
	}
	return strconv.Quote(n.ScalarText())
}

// ScalarText returns the text of a Text, Number or Bool, and "" for other nodes.
func (n *Node) ScalarText() string {
	if n == nil {
		return ""
	}
	return n.Text
}
