package docgen

import "strings"

// A table is Markdown's, while its rows are collected.
type table struct{ lines []string }

// newTable begins a table with these columns.
func newTable(columns ...string) *table {
	t := &table{}
	t.row(columns...)
	t.lines = append(t.lines, "|"+strings.Repeat("---|", len(columns)))
	return t
}

// row adds a row of cells, which are Markdown.
func (t *table) row(cells ...string) {
	t.lines = append(t.lines, strings.TrimRight("| "+strings.Join(cells, " | "), " ")+" |")
}

func (t *table) String() string { return strings.Join(t.lines, "\n") }

// prose makes Markdown of a text that is none.
func prose(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "`", "\\`").Replace(s)
}

// code sets a word in the type of code.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}

// codes sets words likewise, with commas between.
func codes(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = code(w)
	}
	return strings.Join(out, ", ")
}

// mark is "yes", or nothing.
func mark(is bool) string {
	if is {
		return "yes"
	}
	return ""
}
