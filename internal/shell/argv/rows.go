package argv

import (
	"slices"
	"strings"
)

// An aliasRow says that the program called name shares the rows of the program called of.
type aliasRow struct{ name, of string }

func (r aliasRow) key() string        { return r.name }
func (r NestedRule) key() string      { return r.Name }
func (r LoadRule) key() string        { return r.Name }
func (r ClearRule) key() string       { return r.Program }
func (r OptionsVar) key() string      { return r.Name }
func (r Builder) key() string         { return r.Name }
func (r defaultFilesRow) key() string { return r.program }

// rowsNamed returns the rows of table whose key is name. The table must be sorted by key.
func rowsNamed[R interface{ key() string }](table []R, name string) []R {
	from, _ := slices.BinarySearchFunc(table, name, func(r R, name string) int { return strings.Compare(r.key(), name) })
	to := from
	for to < len(table) && table[to].key() == name {
		to++
	}
	return table[from:to]
}

// resolveAlias returns the name of the program whose rows the program with the given name shares
// according to table, or name itself if it has no alias.
func resolveAlias(table []aliasRow, name string) string {
	if rows := rowsNamed(table, name); len(rows) > 0 {
		return rows[0].of
	}
	return name
}
