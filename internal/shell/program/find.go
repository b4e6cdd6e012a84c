package program

// tableOf is the table that a program's row is in, if it has one.
func tableOf(name string) []Row {
	switch {
	case name == "" || name[0] < 'e':
		return rowsA[:]
	case name[0] < 'l':
		return rowsE[:]
	case name[0] < 'q':
		return rowsL[:]
	}
	return rowsQ[:]
}

// All are all rows, in the order of their names.
func All(yield func(*Row) bool) {
	for _, table := range [...][]Row{rowsA[:], rowsE[:], rowsL[:], rowsQ[:]} {
		for i := range table {
			if !yield(&table[i]) {
				return
			}
		}
	}
}

// Knows reports whether a row or a rule is about a program.
func Knows(name string) bool {
	row, _, _, _ := lookup(name)
	return row.Listed() || RulesAbout(name) != ""
}
