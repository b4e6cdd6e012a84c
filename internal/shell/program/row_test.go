package program

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestRows holds every row against the order that rows are found by, and against the
// words that options and operands are written in.
func TestRows(t *testing.T) {
	last := ""
	for row := range All {
		if row.Name <= last {
			t.Errorf("%q must not come behind %q", row.Name, last)
		}
		last = row.Name
		first, _, kid := strings.Cut(row.Name, " ")
		if found, kids := findRow(first); found == nil || kid && !slices.ContainsFunc(kids, func(k Row) bool { return k.Name == row.Name }) {
			t.Errorf("%q is not found", row.Name)
		}
		seen := map[string]bool{}
		for one := range strings.FieldsSeq(row.Options) {
			names, role := one, ""
			if i := strings.IndexAny(one, "=?"); i > 0 {
				names, role = one[:i], one[i+1:]
			}
			for name := range strings.SplitSeq(names, "|") {
				if len(name) < 2 || !strings.ContainsRune("-+/", rune(name[0])) || seen[name] {
					t.Errorf("%s: option %q of %q is none, or comes twice", row.Name, name, one)
				}
				seen[name] = true
			}
			checkRole(t, row, role)
		}
		for one := range strings.SplitSeq(row.Words, ";") {
			if _, roles, ok := strings.Cut(one, ": "); ok {
				one = roles
			}
			for role := range strings.FieldsSeq(one) {
				checkRole(t, row, strings.TrimSuffix(role, "…"))
			}
		}
	}
}

func checkRole(t *testing.T, row *Row, role string) {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(role, "@"), ":")
	if _, ok := shell.RoleOf(name); !ok && role != "" {
		t.Errorf("%s: unknown role %q", row.Name, role)
	}
}
