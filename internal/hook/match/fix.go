package match

import "strings"

// suggestFix returns the change with which the test would hold for one of the values; "" unless only
// the case of letters differs.
func (n *test) suggestFix(seen []string) string {
	switch n.op.name {
	case "is", "in", "prefix", "suffix", "contains":
		for _, want := range n.want.texts(n.op.name) {
			if fix := suggestCase(want, seen); fix != "" {
				return fix
			}
		}
	}
	return ""
}

// suggestCase returns a remark if a value contains want in other case.
func suggestCase(want string, seen []string) string {
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
