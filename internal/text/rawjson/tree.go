package rawjson

import (
	"bytes"
	"slices"
)

// A node is a value or a key of a document. The nodes of a document are in one slice in the order of
// the text, so that a subtree can be skipped without reading its text again. That keeps walks through
// nested values linear.
type node struct {
	start, end int // offsets in the text
	next       int // the index of the node after this one and those inside it
}

// text returns the text of n in its document b. It is never empty.
func (n *node) text(b []byte) []byte {
	return b[n.start:n.end]
}

// indexNodes appends the nodes of the value in b to nodes. The children of an object are alternating
// keys and values. It reports false if b has no complete value or is nested more than MaxDepth levels
// deep, which Check rejects.
func indexNodes(nodes []node, b []byte) (list []node, complete bool) {
	var open [MaxDepth]int
	depth := 0
	for i := 0; i < len(b); {
		switch b[i] {
		case ' ', '\n', '\r', '\t', ',', ':':
			i++
			continue
		case '{', '[':
			if depth == MaxDepth {
				return nodes, false
			}
			open[depth] = len(nodes)
			depth++
			nodes = append(nodes, node{start: i})
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return nodes, false
			}
			depth--
			i++
			n := &nodes[open[depth]]
			n.end, n.next = i, len(nodes)
		default:
			end := valueEnd(b, i)
			if end < 0 {
				return nodes, false
			}
			nodes = append(nodes, node{i, end, len(nodes) + 1})
			i = end
		}
		if depth == 0 {
			return nodes, true
		}
	}
	return nodes, false
}

// A member is a member of an object: its decoded key, and the indexes of the nodes of its key and
// value.
type member struct {
	name     []byte
	key, val int
}

// appendMembers appends the members of the object nodes[at] to dst in order.
func appendMembers(dst []member, b []byte, nodes []node, at int) []member {
	end := nodes[at].next
	for key := at + 1; key+1 < end; {
		text := nodes[key].text(b)
		if text[0] != '"' {
			break // not a key, so the text did not pass Check
		}
		dst = append(dst, member{decodeKey(unquote(text)), key, key + 1})
		key = nodes[key+1].next
	}
	return dst
}

// sortMembers sorts members by key, and equal keys by position. It sorts instead of hashing because
// that needs no further memory.
func sortMembers(ms []member) {
	slices.SortFunc(ms, func(a, b member) int {
		if c := compareNames(a.name, b.name); c != 0 {
			return c
		}
		return a.key - b.key
	})
}

// compareNames compares keys by length first, because any order will do and most keys differ in
// length.
func compareNames(a, b []byte) int {
	if c := len(a) - len(b); c != 0 {
		return c
	}
	return bytes.Compare(a, b)
}

// hasLaterDuplicate reports whether ms[i] has a later member with the same key. ms must be sorted.
func hasLaterDuplicate(ms []member, i int) bool {
	return i+1 < len(ms) && bytes.Equal(ms[i].name, ms[i+1].name)
}

// A Value is a parsed value with everything inside it, for callers that read it more than once.
type Value struct {
	Kind             byte     // as the function Kind returns it; 0 = no value
	JSON             []byte   // the value as written
	Text             string   // the decoded text of a string
	Keys             []string // of an object, in order
	Parts            []Value  // the values of the keys, or the elements of an array
	HasDuplicateKeys bool     // it is or contains an object that has a key twice
}

// ParseValue parses text. It returns the error of Check if text is not valid.
func ParseValue(text []byte) (Value, error) {
	if err := Check(text); err != nil {
		return Value{}, err
	}
	nodes, _ := indexNodes(nil, text)
	return newValue(text, nodes, 0), nil
}

// newValue returns the value of nodes[at].
func newValue(b []byte, nodes []node, at int) Value {
	v := Value{JSON: nodes[at].text(b)}
	v.Kind = Kind(v.JSON)
	switch v.Kind {
	case '"':
		v.Text = decodeString(unquote(v.JSON))
	case '[':
		for i := at + 1; i < nodes[at].next; i = nodes[i].next {
			v.Parts = append(v.Parts, newValue(b, nodes, i))
		}
	case '{':
		seen := map[string]bool{}
		for _, m := range appendMembers(nil, b, nodes, at) {
			key := string(m.name)
			v.Keys, v.Parts = append(v.Keys, key), append(v.Parts, newValue(b, nodes, m.val))
			v.HasDuplicateKeys = v.HasDuplicateKeys || seen[key]
			seen[key] = true
		}
	}
	v.HasDuplicateKeys = v.HasDuplicateKeys || slices.ContainsFunc(v.Parts, func(part Value) bool { return part.HasDuplicateKeys })
	return v
}

// Get returns the value of a key of an object, the last one if the key occurs more than once. It
// returns the zero Value if there is none.
func (v Value) Get(key string) Value {
	for i := len(v.Keys) - 1; i >= 0; i-- {
		if v.Keys[i] == key {
			return v.Parts[i]
		}
	}
	return Value{}
}

// Elements returns the elements of an array, or nil if v is not an array.
func (v Value) Elements() []Value {
	if v.Kind != '[' {
		return nil
	}
	return v.Parts
}

// String returns the text of a string, and any other value as written.
func (v Value) String() string {
	if v.Kind == '"' {
		return v.Text
	}
	return string(v.JSON)
}

// Dedup returns val with only the last of several members with the same key, in objects at any depth.
// That member stays where it is, and everything else stays byte for byte. If there are no duplicates,
// Dedup returns val itself; otherwise it returns a new slice.
func Dedup(val []byte) []byte {
	var nodeBuf [64]node
	var memberBuf [16]member
	nodes, ok := indexNodes(nodeBuf[:0], val)
	if !ok {
		return val
	}
	var cuts []span
	ms := memberBuf[:0]
	for at := range nodes {
		if val[nodes[at].start] != '{' {
			continue
		}
		ms = appendMembers(ms[:0], val, nodes, at)
		sortMembers(ms)
		for i, m := range ms {
			if hasLaterDuplicate(ms, i) { // another member follows, so the comma is removed too
				follower := nodes[m.val].next
				cuts = append(cuts, span{nodes[m.key].start, nodes[follower].start})
			}
		}
	}
	if len(cuts) == 0 {
		return val
	}
	return removeSpans(val, cuts)
}

// A span is a part of a text, from start up to end.
type span struct{ start, end int }

// removeSpans returns a copy of b without the spans in cuts, which may be nested but do not overlap
// otherwise.
func removeSpans(b []byte, cuts []span) []byte {
	slices.SortFunc(cuts, func(x, y span) int { return x.start - y.start })
	out := make([]byte, 0, len(b))
	at := 0
	for _, c := range cuts {
		if c.start < at {
			continue
		}
		out = append(out, b[at:c.start]...)
		at = c.end
	}
	return append(out, b[at:]...)
}
