package secret

import "strings"

// Searches in any case, for one of a list of words with a blank between them.

// hasFold reports whether s starts with part, which is in lower case.
func hasFold(s, part string) bool {
	if len(s) < len(part) {
		return false
	}
	for i := range len(part) {
		if lowered(s[i]) != part[i] {
			return false
		}
	}
	return true
}

// containsFold reports whether part, in lower case, is in s in any case.
func containsFold(s, part string) bool {
	if !isLower(part[0]) {
		return containsFrom(s, part)
	}
	for i := 0; i+len(part) <= len(s); i++ {
		if lowered(s[i]) == part[0] && hasFold(s[i:], part) {
			return true
		}
	}
	return false
}

// containsFrom is containsFold for a part whose first byte has no other case: it
// jumps from one such byte to the next.
func containsFrom(s, part string) bool {
	for {
		i := strings.IndexByte(s, part[0])
		if i < 0 {
			return false
		}
		if hasFold(s[i:], part) {
			return true
		}
		s = s[i+1:]
	}
}

// containsAny reports whether one of the parts is in s, in any case.
func containsAny(s, parts string) bool {
	for at := 0; at < len(parts); {
		end := at
		for end < len(parts) && parts[end] != ' ' {
			end++
		}
		if containsFold(s, parts[at:end]) {
			return true
		}
		at = end + 1
	}
	return false
}

// partLen returns the length of the one of the parts that s starts with, or 0.
func partLen(s, parts string) int {
	for at := 0; at < len(parts); {
		end := at
		for end < len(parts) && parts[end] != ' ' {
			end++
		}
		if hasFold(s, parts[at:end]) {
			return end - at
		}
		at = end + 1
	}
	return 0
}
