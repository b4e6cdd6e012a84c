package automaton

import (
	"encoding/binary"
	"slices"
	"sync"
)

// A Result is the answer to a question.
type Result uint8

// The results.
const (
	None    Result = iota // there is no such string
	Found                 // there is one
	Unknown               // the search reached a limit
)

// maxNodes limits the combinations of states that one search visits.
const maxNodes = 5000

// stateCost is the cost of a new state, in steps.
const stateCost = 30

// A Budget limits the work of many searches together. The nil Budget has no limit.
type Budget struct{ Steps int }

// spend takes n steps from b and reports whether there were enough.
func (b *Budget) spend(n int) bool {
	if b == nil {
		return true
	}
	b.Steps -= n
	return b.Steps >= 0
}

// A node is a combination of states that a search reached, with the character that led there.
type node struct {
	states []int32
	from   int
	char   rune
}

// Search returns a short string that is in all sets of in and in none of out. It prefers letters,
// digits and spaces.
func Search(in, out []*Lang, b *Budget) (string, Result) {
	all := slices.Concat(in, out)
	if len(in) > 0 && len(out) > 0 { // mostly, the characters that matter to in are enough
		if text, got := search(all, len(in), true, b); got == Found {
			return text, got
		}
	}
	return search(all, len(in), false, b)
}

// search returns a shortest string that is in the first n sets and in none of the others. If few is
// set, it tries only one of the characters that have the same effect in the first n.
func search(all []*Lang, n int, few bool, b *Budget) (string, Result) {
	nodes := []node{{states: make([]int32, len(all)), from: -1}}
	seen := map[string]bool{}
	var key []byte
	for i := 0; i < len(nodes); i++ {
		states := nodes[i].states
		if accepts(all, states, n) {
			return word(nodes, i), Found
		}
		chars := classes(all, states, n, few)
		known := 0
		for _, l := range all {
			known -= len(l.states)
		}
		for _, r := range chars {
			to := make([]int32, len(all))
			key = key[:0]
			hopeless := false
			for j, l := range all {
				if to[j] = l.step(states[j], r); to[j] < 0 {
					return "", Unknown
				}
				hopeless = hopeless || j < n && l.isDead(to[j]) || j >= n && l.states[to[j]].matched
				key = binary.AppendVarint(key, int64(to[j]))
			}
			if hopeless || seen[string(key)] {
				continue
			}
			if len(nodes) >= maxNodes {
				return "", Unknown
			}
			seen[string(key)] = true
			nodes = append(nodes, node{to, i, r})
		}
		for _, l := range all {
			known += len(l.states)
		}
		if !b.spend(len(chars) + stateCost*known + 1) {
			return "", Unknown
		}
	}
	return "", None
}

// accepts reports whether the string that led to states is in the first n sets and in none of the
// others.
func accepts(all []*Lang, states []int32, n int) bool {
	for i, l := range all {
		if l.states[states[i]].ends != (i < n) {
			return false
		}
	}
	return true
}

// word returns the string that led to node i.
func word(nodes []node, i int) string {
	var chars []rune
	for ; nodes[i].from >= 0; i = nodes[i].from {
		chars = append(chars, nodes[i].char)
	}
	slices.Reverse(chars)
	return string(chars)
}

// surrogates are not characters.
const firstSurrogate, afterSurrogates, afterLast = 0xD800, 0xE000, 0x110000

// classes returns one character for each interval in which all characters have the same effect in
// states, the most readable first. If few is set, of the intervals that have the same effect in the
// first n sets only the widest counts.
func classes(all []*Lang, states []int32, n int, few bool) []rune {
	points := []rune{0, firstSurrogate, afterSurrogates}
	var first []rune
	for i, l := range all {
		points = append(points, l.states[states[i]].points...)
		if i < n {
			first = append(first, l.states[states[i]].points...)
		}
	}
	slices.Sort(points)
	points = slices.Compact(points)
	out := make([]rune, 0, len(points))
	widest := rune(-1) // of the intervals since the last point of the first n sets
	for i, lo := range points {
		hi := rune(afterLast)
		if i+1 < len(points) {
			hi = points[i+1]
		}
		if lo >= firstSurrogate && hi <= afterSurrogates || lo >= afterLast {
			continue
		}
		if few && !slices.Contains(first, lo) && widest >= 0 {
			if hi-lo > widest {
				widest, out[len(out)-1] = hi-lo, readable(lo, hi)
			}
			continue
		}
		widest = hi - lo
		out = append(out, readable(lo, hi))
	}
	slices.SortStableFunc(out, func(a, b rune) int { return readability(a) - readability(b) })
	return out
}

// preferred lists characters from the most to the least readable.
const preferred = "xabcdefghijklmnopqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ _-./,:=@%+~!#&*()[]{}?<>|;'\"\\$^`\t\n"

// ranks has the ranks of the preferred characters.
var ranks = sync.OnceValue(func() (out [128]uint8) {
	for i := range out {
		out[i] = uint8(len(preferred))
	}
	for i, r := range preferred {
		out[r] = uint8(i)
	}
	return out
})

// readability returns the rank of r: a lower one is more readable.
func readability(r rune) int {
	if r < 128 {
		return int(ranks()[r])
	}
	return len(preferred)
}

// readable returns the most readable character from lo up to, but not including, hi.
func readable(lo, hi rune) rune {
	if hi-lo == 1 {
		return lo
	}
	for _, r := range preferred {
		if lo <= r && r < hi {
			return r
		}
	}
	if lo <= 0xE9 && 0xE9 < hi { // é
		return 0xE9
	}
	return lo
}
