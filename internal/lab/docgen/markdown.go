package docgen

import "strings"

// A table is a Markdown table, line by line.
type table struct{ lines []string }

// newTable returns a table that has these columns and no rows.
func newTable(columns ...string) *table {
	t := &table{}
	t.row(columns...)
	t.lines = append(t.lines, "|"+strings.Repeat("---|", len(columns)))
	return t
}

// row adds a row. The cells are Markdown.
func (t *table) row(cells ...string) {
	t.lines = append(t.lines, strings.TrimRight("| "+strings.Join(cells, " | "), " ")+" |")
}

func (t *table) String() string { return strings.Join(t.lines, "\n") }

// escapeMarkdown returns plain text as Markdown.
func escapeMarkdown(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "`", "\\`").Replace(s)
}

// code returns s as a Markdown code span, or "" if s is empty.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}

// codes returns words as code spans, separated by commas.
func codes(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = code(w)
	}
	return strings.Join(out, ", ")
}

// yesOrEmpty returns "yes" if is is true, otherwise "".
func yesOrEmpty(is bool) string {
	if is {
		return "yes"
	}
	return ""
}
