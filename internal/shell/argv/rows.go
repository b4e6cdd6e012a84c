package argv

import (
	"slices"
	"strings"
)

// An aliasRow is a name under which something is known by another name.
type aliasRow struct{ name, of string }

func (r aliasRow) key() string { return r.name }
func (r Opening) key() string  { return r.Name }
func (r Loading) key() string  { return r.Name }
func (r Clearing) key() string { return r.Program }
func (r Flagged) key() string  { return r.Name }
func (r Builder) key() string  { return r.Name }
func (r custom) key() string   { return r.program }

// rowsOf returns the rows of a name in a table that is sorted by names.
func rowsOf[R interface{ key() string }](table []R, name string) []R {
	from, _ := slices.BinarySearchFunc(table, name, func(r R, name string) int { return strings.Compare(r.key(), name) })
	to := from
	for to < len(table) && table[to].key() == name {
		to++
	}
	return table[from:to]
}

// aliasOf returns the name under which the rows of a program stand.
func aliasOf(table []aliasRow, name string) string {
	if rows := rowsOf(table, name); len(rows) > 0 {
		return rows[0].of
	}
	return name
}
