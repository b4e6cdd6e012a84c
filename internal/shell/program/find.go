package program

// All are all rows, in the order of their names.
func All(yield func(*Row) bool) {
	for i := range rows {
		if !yield(&rows[i]) {
			return
		}
	}
}

// Knows reports whether a row or a rule is about a program.
func Knows(name string) bool {
	row, _, _, _ := lookup(name)
	return row.Listed() || RulesAbout(name) != ""
}
