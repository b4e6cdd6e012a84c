package lex

import "strings"

// Searches in any case, for one of a list of words with a blank between them.

// HasFold reports whether s starts with part, which is in lower case.
func HasFold(s, part string) bool {
	if len(s) < len(part) {
		return false
	}
	for i := range len(part) {
		if Lowered(s[i]) != part[i] {
			return false
		}
	}
	return true
}

// ContainsFold reports whether part, in lower case, is in s in any case.
func ContainsFold(s, part string) bool {
	if !IsLower(part[0]) {
		return containsFrom(s, part)
	}
	for i := 0; i+len(part) <= len(s); i++ {
		if Lowered(s[i]) == part[0] && HasFold(s[i:], part) {
			return true
		}
	}
	return false
}

// containsFrom is ContainsFold for a part whose first byte has no other case: it
// jumps from one such byte to the next.
func containsFrom(s, part string) bool {
	for {
		i := strings.IndexByte(s, part[0])
		if i < 0 {
			return false
		}
		if HasFold(s[i:], part) {
			return true
		}
		s = s[i+1:]
	}
}

// ContainsAny reports whether one of the parts is in s, in any case.
func ContainsAny(s, parts string) bool {
	for at := 0; at < len(parts); {
		end := at
		for end < len(parts) && parts[end] != ' ' {
			end++
		}
		if ContainsFold(s, parts[at:end]) {
			return true
		}
		at = end + 1
	}
	return false
}

// PartLen returns the length of the one of the parts that s starts with, or 0.
func PartLen(s, parts string) int {
	for at := 0; at < len(parts); {
		end := at
		for end < len(parts) && parts[end] != ' ' {
			end++
		}
		if HasFold(s, parts[at:end]) {
			return end - at
		}
		at = end + 1
	}
	return 0
}
