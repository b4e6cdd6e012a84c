package docgen

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/lab/conformance"
)

var verdicts = []string{conformance.Works, conformance.Differs}

// promiseCounts returns a table with the number of promises of each document, by verdict.
func promiseCounts() (string, error) {
	docs, err := conformance.Load()
	if err != nil {
		return "", err
	}
	t := newTable(append([]string{"document", "promises"}, verdicts...)...)
	sum := map[string]int{}
	line := func(name string, n int, counts map[string]int) {
		cells := []string{name, fmt.Sprint(n)}
		for _, v := range verdicts {
			cells = append(cells, fmt.Sprint(counts[v]))
		}
		t.row(cells...)
	}
	all := 0
	for _, doc := range docs {
		counts := map[string]int{}
		for _, r := range doc.Rows {
			counts[r.Verdict()]++
			sum[r.Verdict()]++
		}
		all += len(doc.Rows)
		line(fmt.Sprintf("[%s](#%s)", doc.Title, conformance.Anchor(doc.Title)), len(doc.Rows), counts)
	}
	line("all", all, sum)
	return t.String(), nil
}

// promiseTables returns a section for each document with a table of all its promises.
func promiseTables() (string, error) {
	docs, err := conformance.Load()
	if err != nil {
		return "", err
	}
	var parts []string
	for _, doc := range docs {
		t := newTable("section", "promise", "verdict", "test or reason")
		for _, r := range doc.Rows {
			t.row(escapeMarkdown(r.Section), escapeMarkdown(r.Promise), r.Verdict(), evidence(r))
		}
		parts = append(parts, "## "+doc.Title+"\n\n"+t.String())
	}
	return strings.Join(parts, "\n\n"), nil
}

// evidence returns the last cell of a promise's row: the tests, the difference, or the gap.
func evidence(r conformance.Row) string {
	shown := make([]string, len(r.Shown))
	for i, ref := range r.Shown {
		shown[i] = code(ref)
	}
	tests := strings.Join(shown, "<br>")
	switch r.Verdict() {
	case conformance.Works:
		return tests
	case conformance.Differs:
		name, _, _ := strings.Cut(strings.TrimPrefix(r.Doc, "docs/"), "#")
		cell := fmt.Sprintf("%s ([%s](%s))", escapeMarkdown(r.Differs), name, strings.TrimPrefix(r.Doc, "docs/"))
		if tests != "" {
			cell += "<br>" + tests
		}
		return cell
	}
	return escapeMarkdown(r.Gap)
}
