package automaton

import (
	"encoding/binary"
	"slices"
	"strings"
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
const maxNodes = 20000

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

// Search returns a shortest string that is in all sets of in and in none of out. Among strings of one
// length it prefers letters, digits and spaces.
func Search(in, out []*Lang, b *Budget) (string, Result) {
	all := slices.Concat(in, out)
	nodes := []node{{states: make([]int32, len(all)), from: -1}}
	seen := map[string]bool{}
	var key []byte
	for i := 0; i < len(nodes); i++ {
		states := nodes[i].states
		if accepts(all, states, len(in)) {
			return word(nodes, i), Found
		}
		chars := classes(all, states)
		if !b.spend(len(chars) + 1) {
			return "", Unknown
		}
		for _, r := range chars {
			to := make([]int32, len(all))
			key = key[:0]
			hopeless := false
			for j, l := range all {
				if to[j] = l.step(states[j], r); to[j] < 0 {
					return "", Unknown
				}
				hopeless = hopeless || j < len(in) && l.isDead(to[j]) || j >= len(in) && l.states[to[j]].matched
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
// states, the most readable first.
func classes(all []*Lang, states []int32) []rune {
	points := []rune{0, firstSurrogate, afterSurrogates}
	for i, l := range all {
		points = append(points, l.states[states[i]].points...)
	}
	slices.Sort(points)
	points = slices.Compact(points)
	out := make([]rune, 0, len(points))
	for i, lo := range points {
		hi := rune(afterLast)
		if i+1 < len(points) {
			hi = points[i+1]
		}
		if lo >= firstSurrogate && hi <= afterSurrogates || lo >= afterLast {
			continue
		}
		out = append(out, readable(lo, hi))
	}
	slices.SortStableFunc(out, func(a, b rune) int { return readability(a) - readability(b) })
	return out
}

// preferred lists characters from the most to the least readable.
const preferred = "xabcdefghijklmnopqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ _-./,:=@%+~!#&*()[]{}?<>|;'\"\\$^`\t\n"

// readability returns the rank of r: a lower one is more readable.
func readability(r rune) int {
	if i := strings.IndexRune(preferred, r); i >= 0 {
		return i
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
