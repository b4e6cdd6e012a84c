package native

import (
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// TestJudgesPage checks that the file on the page about judges is valid, and that its judge accepts
// every host's names for what it names.
func TestJudgesPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/judges.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	f, err := read(text)
	if err != nil || len(f.Hooks) != 1 {
		t.Fatalf("%v: %+v", err, f.Hooks)
	}
	m, err := match.CompileTool(f.Hooks[0].Match, f.Hooks[0].MatchWords)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "edit_file", "write_file", "mcp__lab__say"} {
		if !m.Match(&checkrein.Tool{Name: name, Canonical: tools.CanonicalTool(name)}, "") {
			t.Errorf("%q does not match %s", f.Hooks[0].Match, name)
		}
	}
}
