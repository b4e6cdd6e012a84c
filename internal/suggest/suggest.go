// Package suggest finds the known word that a mistyped one was meant to be.
package suggest

import "strings"

// Closest returns the word of known that is nearest to word, or "" when none
// is near enough to be a likely typo.
func Closest(word string, known []string) string {
	best, limit := "", max(1, len(word)/3)+1
	for _, k := range known {
		if strings.EqualFold(k, word) {
			return k
		}
		if d := distance(word, k, limit); d < limit {
			best, limit = k, d
		}
	}
	return best
}

// Hint returns `, did you mean "x"?`, or "" without a likely word.
func Hint(word string, known []string) string {
	if c := Closest(word, known); c != "" {
		return `, did you mean "` + c + `"?`
	}
	return ""
}

// distance is the edit distance of a and b with swaps of neighbours; it may
// return any number ≥ limit once the distance is known to be that large.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 64 || len(b) > 64 {
		return limit
	}
	var rows [3][65]int
	before, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
