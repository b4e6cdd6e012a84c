package argv

import (
	"slices"
	"strings"
	"testing"
)

// TestLoadings: the table is sorted, so that its rows are found.
func TestLoadings(t *testing.T) {
	if !slices.IsSortedFunc(loadRules[:], func(a, b LoadRule) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted by name")
	}
	for i := range loadRules {
		if r := &loadRules[i]; loadRuleName(r.Name) != r.Name {
			t.Errorf("%s is looked for as %s", r.Name, loadRuleName(r.Name))
		}
	}
}

// Rows are found by search, so a row out of order is never asked.
func TestOpeningsSorted(t *testing.T) {
	for i := 1; i < len(nestedRules); i++ {
		if nestedRules[i-1].Name > nestedRules[i].Name {
			t.Errorf("%s stands before %s", nestedRules[i-1].Name, nestedRules[i].Name)
		}
	}
	for i := range nestedRules {
		row := &nestedRules[i]
		if resolveAlias(nestedAliases[:], row.Name) != row.Name {
			t.Errorf("%s has rows of its own and those of %s", row.Name, resolveAlias(nestedAliases[:], row.Name))
		}
		if row.Keys == "" && row.In != InLine {
			t.Errorf("%s: a row without an option", row.Name)
		}
	}
}
