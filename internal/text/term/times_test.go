package term_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneTimeFormat checks that points in time are printed in one format, time.DateTime, and days as
// time.DateOnly. No package that prints for people has its own layout, except for the precise time of
// a record and for times that are parsed.
func TestOneTimeFormat(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	seen := 0
	for _, dir := range []string{"internal/cli", "internal/host/install", "internal/text/term", "internal/evidence/provenance", "internal/evidence/misses", "internal/approval/grant", "internal/sys/snapshot", "internal/app"} {
		err := fs.WalkDir(os.DirFS(filepath.Join("../../..", dir)), ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(files, filepath.Join("../../..", dir, name), nil, 0)
			if err != nil {
				return err
			}
			seen++
			ast.Inspect(f, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if ok && strings.Contains(lit.Value, "15:04") && name != "records/text.go" && lit.Value != `"2006-01-02 15:04:05.000 MST"` {
					t.Errorf("%s: %s: use time.DateTime", files.Position(lit.Pos()), lit.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Fatalf("only %d files", seen)
	}
}
