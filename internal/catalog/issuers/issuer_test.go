package issuers

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret"
)

// TestIssuersAreValid checks that every row has domains, and prefixes that match a rule and that no
// other row has.
func TestIssuersAreValid(t *testing.T) {
	t.Parallel()
	rules := secret.Rules()
	for i := range table {
		row := &table[i]
		if len(row.Domains()) == 0 || slices.Index(Names(), row.Name) != i {
			t.Errorf("%s has no domain, or is there twice", row.Name)
		}
		for prefix := range strings.FieldsSeq(row.rules) {
			at := slices.IndexFunc(rules, func(r secret.Info) bool { return strings.HasPrefix(r.ID, prefix) })
			if at < 0 {
				t.Errorf("%s: no rule begins with %s", row.Name, prefix)
			} else if ForRule(rules[at].ID) != row {
				t.Errorf("%s: %s is %s's", row.Name, rules[at].ID, ForRule(rules[at].ID).Name)
			}
		}
		for _, d := range row.Domains() {
			if !strings.Contains(d, ".") || d != strings.ToLower(d) || strings.Contains(d, "/") {
				t.Errorf("%s: %q is no domain", row.Name, d)
			}
		}
	}
	for _, rule := range []string{"generic-password", "url-password", "private-key", "jwt", "sk-api-key", "vault-service-token"} {
		if by := ForRule(rule); by != nil {
			t.Errorf("%s is %s's", rule, by.Name)
		}
	}
}
