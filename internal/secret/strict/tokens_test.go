package strict

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// onlyStrict are the prefixes that no rule begins with: too little for a finding, and
// enough to mask what follows.
var onlyStrict = []string{"AKLT", "BBDC-", "FlyV1", "atlasv1."}

// The strict level knows no vendor of its own: where its prefixes are not those of rules,
// they are named here.
func TestStrictPrefixesAreThoseOfRules(t *testing.T) {
	t.Parallel()
	var anchors []string
	for i := range rules.Table {
		if rules.Table[i].Kind&rules.Secrets != 0 {
			anchors = append(anchors, strings.Fields(rules.Table[i].Anchors)...)
		}
	}
	var own []string
	for i := range tokenPrefixes {
		text := strings.ToLower(tokenPrefixes[i].text)
		if !slices.ContainsFunc(anchors, func(a string) bool { return strings.HasPrefix(a, text) || strings.HasPrefix(text, a) }) {
			own = append(own, tokenPrefixes[i].text)
		}
	}
	if !slices.Equal(own, onlyStrict) {
		t.Errorf("no rule begins with %q, want %q", own, onlyStrict)
	}
}
