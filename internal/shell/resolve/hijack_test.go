package resolve

import (
	"slices"
	"strings"
	"testing"
)

// TestLoadings: the table is sorted, so that its rows are found.
func TestLoadings(t *testing.T) {
	if !slices.IsSortedFunc(loadings[:], func(a, b loading) int { return strings.Compare(a.name, b.name) }) {
		t.Error("not sorted by name")
	}
	for i := range loadings {
		if r := &loadings[i]; loaderOf(r.name) != r.name {
			t.Errorf("%s is looked for as %s", r.name, loaderOf(r.name))
		}
	}
}
