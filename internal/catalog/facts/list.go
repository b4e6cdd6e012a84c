package facts

import (
	"sort"
	"strings"
)

// InList reports whether word is in list, whose words are separated by spaces.
func InList(list, word string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); one == word {
			return true
		}
	}
	return false
}

// Lookup returns the row of table whose name is name, or nil if there is none. The table must be
// sorted by the names that nameOf returns.
func Lookup[T any](table []T, name string, nameOf func(*T) string) *T {
	i, ok := sort.Find(len(table), func(i int) int { return strings.Compare(name, nameOf(&table[i])) })
	if !ok {
		return nil
	}
	return &table[i]
}
