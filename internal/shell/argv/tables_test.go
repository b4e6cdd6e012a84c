package argv

import (
	"slices"
	"strings"
	"testing"
)

// TestLoadings: the table is sorted, so that its rows are found.
func TestLoadings(t *testing.T) {
	if !slices.IsSortedFunc(loadings[:], func(a, b Loading) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted by name")
	}
	for i := range loadings {
		if r := &loadings[i]; loaderOf(r.Name) != r.Name {
			t.Errorf("%s is looked for as %s", r.Name, loaderOf(r.Name))
		}
	}
}

// Rows are found by search, so a row out of order is never asked.
func TestOpeningsSorted(t *testing.T) {
	for i := 1; i < len(openings); i++ {
		if openings[i-1].Name > openings[i].Name {
			t.Errorf("%s stands before %s", openings[i-1].Name, openings[i].Name)
		}
	}
	for i := range openings {
		row := &openings[i]
		if aliasOf(families[:], row.Name) != row.Name {
			t.Errorf("%s has rows of its own and those of %s", row.Name, aliasOf(families[:], row.Name))
		}
		if row.Keys == "" && row.In != InLine {
			t.Errorf("%s: a row without an option", row.Name)
		}
	}
}
