package rawjson

import "bytes"

// Equal reports whether two values mean the same. White space, the order of
// keys and the use of escapes do not matter; of duplicate keys the last
// counts. Numbers are the same only when their text is: 1.0 is not 1. Half a
// surrogate pair is the same only as itself, not as U+FFFD.
func Equal(a, b []byte) bool {
	a, b = trim(a), trim(b)
	if bytes.Equal(a, b) {
		return len(a) > 0
	}
	var bufA, bufB [64]node
	var members [32]member
	nodesA, okA := index(bufA[:0], a)
	nodesB, okB := index(bufB[:0], b)
	if !okA || !okB {
		return false
	}
	p := pair{nodesA, nodesB}
	return p.equalNodes(&texts{a, b}, 0, 0, members[:0])
}

// EqualForAll reports whether two values are equal to every reader: some readers take the first of
// duplicate keys, so values with duplicates must be the same byte for byte.
func EqualForAll(a, b []byte) bool {
	if bytes.Equal(trim(a), trim(b)) || !Equal(a, b) {
		return Equal(a, b)
	}
	return len(Dedup(a)) == len(a) && len(Dedup(b)) == len(b)
}

// pair is two documents under comparison, apart from their texts. Members
// refer to the text, which for the compiler's escape analysis would put
// anything in one struct with it on the heap. For the same reason the scratch
// space for members is passed down, each object leaving what it does not need
// to those within it.
type pair struct {
	a, b []node
}

type texts struct {
	a, b []byte
}

// equalNodes compares the values that are node i of a and node j of b. It recurses no deeper than
// MaxDepth, which index ensures.
func (p *pair) equalNodes(t *texts, i, j int, free []member) bool {
	x, y := p.a[i].text(t.a), p.b[j].text(t.b)
	if x[0] != y[0] {
		return false
	}
	switch x[0] {
	case '{':
		return p.sameObject(t, i, j, free)
	case '[':
		return p.sameArray(t, i, j, free)
	case '"':
		return sameText(unquote(x), unquote(y))
	}
	return bytes.Equal(x, y)
}

func (p *pair) sameArray(t *texts, i, j int, free []member) bool {
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

func (p *pair) sameObject(t *texts, i, j int, free []member) bool {
	xs := effective(free, t.a, p.a, i)
	ys := effective(xs[len(xs):], t.b, p.b, j)
	if len(xs) != len(ys) {
		return false
	}
	free = ys[len(ys):]
	for k := range xs {
		// The keys themselves, since names do not tell half pairs apart.
		x, y := p.a[xs[k].key].text(t.a), p.b[ys[k].key].text(t.b)
		if !sameText(unquote(x), unquote(y)) || !p.equalNodes(t, xs[k].val, ys[k].val, free) {
			return false
		}
	}
	return true
}

// effective returns the members of the object that is nodes[at], sorted and
// without those that a duplicate overrules. They are put into free, which is
// empty, as far as its capacity goes.
func effective(free []member, b []byte, nodes []node, at int) []member {
	ms := appendMembers(free, b, nodes, at)
	sortMembers(ms)
	kept := ms[:0]
	for k, m := range ms {
		if !hasLaterDuplicate(ms, k) { // looks ahead, where nothing has moved yet
			kept = append(kept, m)
		}
	}
	return kept
}
