package docgen

import "github.com/checkrein/checkrein/internal/shell"

func packTable() string {
	t := newTable("pack", "guards")
	for _, name := range shell.PackNames() {
		p, _ := shell.PackNamed(name)
		t.row(code(name), prose(p.About()))
	}
	return t.String()
}

func categoryTable() string {
	t := newTable("category", "pack", "usual label", "usual radius", "decision", "only reads", "what it does")
	shell.EachCategory(func(_ shell.Category, r *shell.Row) {
		t.row(code(r.Name), code(r.PackName()), r.Label.String(), r.Impact.String(), defaultAction(r), onlyReads(r), prose(r.Doc))
	})
	return t.String()
}

// defaultAction returns what the default guard does about a category.
func defaultAction(r *shell.Row) string {
	if r.Policy == shell.ByImpact && r.Label < shell.Destructive {
		return "no opinion"
	}
	return r.Policy.String()
}

func onlyReads(r *shell.Row) string {
	if r.Reads {
		return "yes"
	}
	return ""
}
