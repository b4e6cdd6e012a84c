package program

// AllRows yields all rows, sorted by name. It is an iterator.
func AllRows(yield func(*Row) bool) {
	for i := range rows {
		if !yield(&rows[i]) {
			return
		}
	}
}

// IsKnown reports whether the program name has a row or rules.
func IsKnown(name string) bool {
	row, _, _, _ := lookupProgram(name)
	return row.IsListed() || RulesFor(name) != ""
}
