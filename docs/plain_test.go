package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/plainenglish"
)

// TestPagesArePlain holds running text to words that are read once. Quoted output is
// not its business, nor are pages made of what hosts and other systems say of themselves.
func TestPagesArePlain(t *testing.T) {
	t.Parallel()
	for _, name := range pages(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "hosts/") || strings.HasPrefix(name, "decisions/") || name == "conformance.md" {
			continue
		}
		for _, b := range parseMarkdown(string(text)) {
			if b.Kind == isFence || b.Kind == isComment {
				continue
			}
			all := b.Text
			for _, row := range b.Rows {
				all += " " + strings.Join(row, " ")
			}
			for _, stop := range plainenglish.Stops(spoken(all)) {
				t.Errorf("%s:%d: %s", name, b.Line, stop)
			}
		}
	}
}

// excepted are turns of phrase that only look like those that make a reader stop.
var excepted = strings.NewReplacer("which layer for which rule", "", "Which layer for which rule", "", ", for that one event", "", ", for that call", "", ", for that time", "")

// spoken is text without what it quotes.
func spoken(text string) string {
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "…"
	}
	return excepted.Replace(strings.Join(parts, ""))
}
