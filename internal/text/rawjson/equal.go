package rawjson

import "bytes"

// Equal reports whether a and b are the same value. White space, the order of keys and the use of
// escapes do not matter, and the last of several duplicate keys counts. Numbers are equal only if
// their texts are: 1.0 is not equal to 1. Half a surrogate pair is equal only to itself, not to
// U+FFFD.
func Equal(a, b []byte) bool {
	a, b = trimSpace(a), trimSpace(b)
	if bytes.Equal(a, b) {
		return len(a) > 0
	}
	var bufA, bufB [64]node
	var members [32]member
	nodesA, okA := indexNodes(bufA[:0], a)
	nodesB, okB := indexNodes(bufB[:0], b)
	if !okA || !okB {
		return false
	}
	p := nodePair{nodesA, nodesB}
	return p.equalNodes(&textPair{a, b}, 0, 0, members[:0])
}

// EqualForEveryReader reports whether every reader sees a and b as the same value. Some readers use
// the first of several duplicate keys, so values with duplicate keys must be equal byte for byte.
func EqualForEveryReader(a, b []byte) bool {
	if bytes.Equal(trimSpace(a), trimSpace(b)) || !Equal(a, b) {
		return Equal(a, b)
	}
	return len(Dedup(a)) == len(a) && len(Dedup(b)) == len(b)
}

// A nodePair holds the nodes of two documents that are compared, without their texts. In one struct
// with the texts, the compiler's escape analysis would move everything to the heap, because members
// refer to the texts. For the same reason, the space for members is passed down: each object leaves
// what it does not need to the objects inside it.
type nodePair struct {
	a, b []node
}

type textPair struct {
	a, b []byte
}

// equalNodes reports whether node i of p.a equals node j of p.b. index ensures that it recurses at
// most MaxDepth levels.
func (p *nodePair) equalNodes(t *textPair, i, j int, free []member) bool {
	x, y := p.a[i].text(t.a), p.b[j].text(t.b)
	if x[0] != y[0] {
		return false
	}
	switch x[0] {
	case '{':
		return p.equalObjects(t, i, j, free)
	case '[':
		return p.equalArrays(t, i, j, free)
	case '"':
		return sameText(unquote(x), unquote(y))
	}
	return bytes.Equal(x, y)
}

func (p *nodePair) equalArrays(t *textPair, i, j int, free []member) bool {
	endA, endB := p.a[i].next, p.b[j].next
	i, j = i+1, j+1
	for i < endA && j < endB {
		if !p.equalNodes(t, i, j, free) {
			return false
		}
		i, j = p.a[i].next, p.b[j].next
	}
	return i >= endA && j >= endB
}

func (p *nodePair) equalObjects(t *textPair, i, j int, free []member) bool {
	xs := effectiveMembers(free, t.a, p.a, i)
	ys := effectiveMembers(xs[len(xs):], t.b, p.b, j)
	if len(xs) != len(ys) {
		return false
	}
	free = ys[len(ys):]
	for k := range xs {
		// Compare the keys as written, because decoded names do not distinguish half pairs.
		x, y := p.a[xs[k].key].text(t.a), p.b[ys[k].key].text(t.b)
		if !sameText(unquote(x), unquote(y)) || !p.equalNodes(t, xs[k].val, ys[k].val, free) {
			return false
		}
	}
	return true
}

// effectiveMembers returns the members of the object nodes[at], sorted and without those that a later
// duplicate overrides. It uses the capacity of free, which must be empty.
func effectiveMembers(free []member, b []byte, nodes []node, at int) []member {
	ms := appendMembers(free, b, nodes, at)
	sortMembers(ms)
	kept := ms[:0]
	for k, m := range ms {
		if !hasLaterDuplicate(ms, k) { // reads ms[k+1], which has not been overwritten yet
			kept = append(kept, m)
		}
	}
	return kept
}
