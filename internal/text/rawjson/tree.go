package rawjson

import (
	"bytes"
	"slices"
)

// node is a value or a key of a document. The nodes of a document lie in one
// slice in the order of the text, so that a subtree can be stepped over
// without reading its text again: work that descends stays linear however the
// document is nested.
type node struct {
	start, end int // the text
	next       int // the index of the node after this one and all within it
}

// text returns the text of n in its document b, which is never empty.
func (n *node) text(b []byte) []byte {
	return b[n.start:n.end]
}

// index appends the nodes of the value in b to nodes. The children of an
// object are keys and values in turn. It reports false when b has no complete
// value or one nested deeper than MaxDepth, which Check refuses.
func index(nodes []node, b []byte) ([]node, bool) {
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

// member is a member of an object: its decoded key, and the nodes of its key
// and its value.
type member struct {
	name     []byte
	key, val int
}

// appendMembers appends the members of the object that is nodes[at] to dst in
// order.
func appendMembers(dst []member, b []byte, nodes []node, at int) []member {
	end := nodes[at].next
	for key := at + 1; key+1 < end; {
		text := nodes[key].text(b)
		if text[0] != '"' {
			break // no key: the text was never checked
		}
		dst = append(dst, member{decodeKey(unquote(text)), key, key + 1})
		key = nodes[key+1].next
	}
	return dst
}

// sortMembers brings equal keys together, the last of them last. It sorts
// rather than hashes because it can do so in place.
func sortMembers(ms []member) {
	slices.SortFunc(ms, func(a, b member) int {
		if c := compareNames(a.name, b.name); c != 0 {
			return c
		}
		return a.key - b.key
	})
}

// compareNames orders keys, by length first since any order will do and most
// keys differ there.
func compareNames(a, b []byte) int {
	if c := len(a) - len(b); c != 0 {
		return c
	}
	return bytes.Compare(a, b)
}

// hasLaterDuplicate reports whether the member ms[i] of a sorted object has a later duplicate.
func hasLaterDuplicate(ms []member, i int) bool {
	return i+1 < len(ms) && bytes.Equal(ms[i].name, ms[i+1].name)
}

// A Value is a value of a document with all that is in it, for those who go through it
// more than once.
type Value struct {
	Kind  byte     // as the function Kind has it; 0 = there is none
	JSON  []byte   // as it is written
	Text  string   // of a string
	Keys  []string // of an object, in order
	Parts []Value  // the values of the keys, or the elements of an array
	Twice bool     // an object in it has a key twice
}

// ParseValue returns the value that a text is, or the refusal of Check.
func ParseValue(text []byte) (Value, error) {
	if err := Check(text); err != nil {
		return Value{}, err
	}
	nodes, _ := index(nil, text)
	return newValue(text, nodes, 0), nil
}

func newValue(b []byte, nodes []node, at int) Value {
	v := Value{JSON: nodes[at].text(b)}
	v.Kind = Kind(v.JSON)
	switch v.Kind {
	case '"':
		v.Text = decode(unquote(v.JSON))
	case '[':
		for i := at + 1; i < nodes[at].next; i = nodes[i].next {
			v.Parts = append(v.Parts, newValue(b, nodes, i))
		}
	case '{':
		seen := map[string]bool{}
		for _, m := range appendMembers(nil, b, nodes, at) {
			key := string(m.name)
			v.Keys, v.Parts = append(v.Keys, key), append(v.Parts, newValue(b, nodes, m.val))
			v.Twice = v.Twice || seen[key]
			seen[key] = true
		}
	}
	v.Twice = v.Twice || slices.ContainsFunc(v.Parts, func(part Value) bool { return part.Twice })
	return v
}

// Get returns what an object has under a key, as the function Get does.
func (v Value) Get(key string) Value {
	for i := len(v.Keys) - 1; i >= 0; i-- {
		if v.Keys[i] == key {
			return v.Parts[i]
		}
	}
	return Value{}
}

// Elements returns the elements of an array.
func (v Value) Elements() []Value {
	if v.Kind != '[' {
		return nil
	}
	return v.Parts
}

// String returns the text of a string, and another value as it is written.
func (v Value) String() string {
	if v.Kind == '"' {
		return v.Text
	}
	return string(v.JSON)
}

// Dedup returns val with duplicate keys, at any depth, reduced to the last of
// them, which stays where it stands; everything else is kept byte for byte. It
// returns val itself when there is nothing to reduce, otherwise a new slice.
func Dedup(val []byte) []byte {
	var nodeBuf [64]node
	var memberBuf [16]member
	nodes, ok := index(nodeBuf[:0], val)
	if !ok {
		return val
	}
	var cuts []cut
	ms := memberBuf[:0]
	for at := range nodes {
		if val[nodes[at].start] != '{' {
			continue
		}
		ms = appendMembers(ms[:0], val, nodes, at)
		sortMembers(ms)
		for i, m := range ms {
			if hasLaterDuplicate(ms, i) { // so a member follows, and its comma goes too
				follower := nodes[m.val].next
				cuts = append(cuts, cut{nodes[m.key].start, nodes[follower].start})
			}
		}
	}
	if len(cuts) == 0 {
		return val
	}
	return removeCuts(val, cuts)
}

// cut is a stretch of text to leave out.
type cut struct{ start, end int }

// removeCuts returns a copy of b without the cuts, which may be nested but do not overlap otherwise.
func removeCuts(b []byte, cuts []cut) []byte {
	slices.SortFunc(cuts, func(x, y cut) int { return x.start - y.start })
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
