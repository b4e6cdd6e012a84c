package program

// AllRows yields all rows, sorted by name.
func AllRows(yield func(*Row) bool) {
	for i := range rows {
		if !yield(&rows[i]) {
			return
		}
	}
}

// IsKnown reports whether a program has a row or rules.
func IsKnown(name string) bool {
	row, _, _, _ := lookupProgram(name)
	return row.IsListed() || RulesFor(name) != ""
}
