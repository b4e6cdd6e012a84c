package fields

import (
	"slices"
	"testing"
)

func TestFieldsAreDistinct(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range All() {
		if seen[f.Name] {
			t.Errorf("field %s is listed twice", f.Name)
		}
		seen[f.Name] = true
		for _, key := range append(f.Aliases, f.Name) {
			if !slices.Contains(CanonicalNames(key), f.Name) {
				t.Errorf("Canonical(%q) lacks %s", key, f.Name)
			}
		}
	}
	if got := CanonicalNames("no_such_field"); len(got) != 0 {
		t.Errorf("Canonical of nothing is %q", got)
	}
}
