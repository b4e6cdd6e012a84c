package docgen

import "github.com/checkrein/checkrein/internal/shell"

// packTable returns a table of all packs.
func packTable() string {
	t := newTable("pack", "guards")
	for _, name := range shell.PackNames() {
		p, _ := shell.PackNamed(name)
		t.row(code(name), escapeMarkdown(p.About()))
	}
	return t.String()
}

// categoryTable returns a table of all categories.
func categoryTable() string {
	t := newTable("category", "pack", "usual label", "usual radius", "decision", "only reads", "behind walls", "what it does")
	shell.EachCategory(func(_ shell.Category, r *shell.Row) {
		t.row(code(r.Name), code(r.PackName()), r.Label.String(), r.Impact.String(), defaultAction(r), readsCell(r), [...]string{"", "yes", "with a network", "runs the project's code"}[r.Walls], escapeMarkdown(r.Doc))
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

// readsCell returns "yes" if commands of the category only read, otherwise "".
func readsCell(r *shell.Row) string {
	if r.Reads {
		return "yes"
	}
	return ""
}
