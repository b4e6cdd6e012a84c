package facts

import "strings"

// InList reports whether a list of words separated by spaces has a word.
func InList(list, word string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); one == word {
			return true
		}
	}
	return false
}
