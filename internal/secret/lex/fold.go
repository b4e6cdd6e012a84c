package lex

import "strings"

// The functions of this file ignore case. The words of a list are separated by spaces.

// HasPrefixFold reports whether s starts with part, ignoring case. The part must be lower case.
func HasPrefixFold(s, part string) bool {
	if len(s) < len(part) {
		return false
	}
	for i := range len(part) {
		if ToLower(s[i]) != part[i] {
			return false
		}
	}
	return true
}

// ContainsFold reports whether s contains part, ignoring case. The part must be lower case.
func ContainsFold(s, part string) bool {
	if !IsLower(part[0]) {
		return containsFoldUncased(s, part)
	}
	for i := 0; i+len(part) <= len(s); i++ {
		if ToLower(s[i]) == part[0] && HasPrefixFold(s[i:], part) {
			return true
		}
	}
	return false
}

// containsFoldUncased is ContainsFold for a part whose first byte has no case, which allows the faster
// search for that byte.
func containsFoldUncased(s, part string) bool {
	for {
		i := strings.IndexByte(s, part[0])
		if i < 0 {
			return false
		}
		if HasPrefixFold(s[i:], part) {
			return true
		}
		s = s[i+1:]
	}
}

// ContainsAnyFold reports whether s contains one of parts, ignoring case.
func ContainsAnyFold(s, parts string) bool {
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

// PrefixLen returns the length of the first of parts that s starts with, ignoring case, or 0 if there
// is none.
func PrefixLen(s, parts string) int {
	for at := 0; at < len(parts); {
		end := at
		for end < len(parts) && parts[end] != ' ' {
			end++
		}
		if HasPrefixFold(s, parts[at:end]) {
			return end - at
		}
		at = end + 1
	}
	return 0
}
