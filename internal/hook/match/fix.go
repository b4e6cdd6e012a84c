package match

import "strings"

// fix is the change by which a test would hold for one of the values, "" when none is
// plain: only the case of letters differs.
func (n *test) fix(seen []string) string {
	switch n.op.name {
	case "is", "in", "prefix", "suffix", "contains":
		for _, want := range n.want.words(n.op.name) {
			if fix := fixCase(want, seen); fix != "" {
				return fix
			}
		}
	}
	return ""
}

// fixCase finds what is meant in a value that has it with other letters.
func fixCase(want string, seen []string) string {
	for _, s := range seen {
		for i := 0; i+len(want) <= len(s); i++ {
			if has := s[i : i+len(want)]; has != want && strings.EqualFold(has, want) {
				return "comparisons are case-sensitive: write " + quote(has)
			}
		}
	}
	return ""
}

func quote(s string) string { return "'" + s + "'" }
