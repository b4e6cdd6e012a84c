package argv

import (
	"slices"
	"strings"
	"testing"
)

// TestLoadRulesCanBeFound checks that the table is sorted, because it is searched by bisection, and
// that no program with rules of its own is listed under another name.
func TestLoadRulesCanBeFound(t *testing.T) {
	if !slices.IsSortedFunc(loadRules[:], func(a, b LoadRule) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted by name")
	}
	for i := range loadRules {
		if r := &loadRules[i]; loadRuleFor(r.Name) != r.Name {
			t.Errorf("%s has rules, but is looked up as %s", r.Name, loadRuleFor(r.Name))
		}
	}
}

// TestNestedRulesCanBeFound checks that the table is sorted, because it is searched by bisection, and
// that no program with rules of its own is listed under another name.
func TestNestedRulesCanBeFound(t *testing.T) {
	for i := 1; i < len(nestedRules); i++ {
		if nestedRules[i-1].Name > nestedRules[i].Name {
			t.Errorf("%s comes before %s", nestedRules[i-1].Name, nestedRules[i].Name)
		}
	}
	for i := range nestedRules {
		row := &nestedRules[i]
		if resolveAlias(nestedAliases[:], row.Name) != row.Name {
			t.Errorf("%s has rules, but is looked up as %s", row.Name, resolveAlias(nestedAliases[:], row.Name))
		}
		if row.Keys == "" && row.In != InLine {
			t.Errorf("%s has a rule without keys", row.Name)
		}
	}
}
