package facts

import "strings"

// isSpecific reports whether a pattern has enough letters and digits to identify a name.
func isSpecific(pattern string) bool {
	n := 0
	for i := range len(pattern) {
		if c := pattern[i]; IsLetter(c) || c == '_' || c >= '0' && c <= '9' {
			n++
		}
	}
	return n >= 3
}

// matchGlob reports whether name matches a pattern with *, ? and [...], which here stands for any
// character. It backtracks only to the last star.
func matchGlob(pattern, name string) bool {
	star, mark, i, j := -1, 0, 0, 0
	for j < len(name) {
		if i < len(pattern) {
			if pattern[i] == '*' {
				star, mark, i = i, j, i+1
				continue
			}
			n := 1
			any := pattern[i] == '?'
			if pattern[i] == '[' {
				if e := strings.IndexByte(pattern[i:], ']'); e > 0 {
					any, n = true, e+1
				}
			}
			if any || pattern[i] == name[j] {
				i, j = i+n, j+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		i, j = star+1, mark
	}
	for i < len(pattern) && pattern[i] == '*' {
		i++
	}
	return i == len(pattern)
}
