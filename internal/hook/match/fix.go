package match

import "strings"

// suggestFix returns how to change the test so that it holds for one of the values in seen. It returns
// "" unless they differ only in case.
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

// suggestCase returns a suggestion if one of seen contains want in different case, otherwise "".
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
