package program

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

// Limits that keep package shell readable.
const (
	maxLines   = 10_000 // of a package, without tests and tables
	maxFields  = 20     // of resolve's walker
	maxMethods = 120    // of resolve's walker
)

// TestPackagesStaySmall checks the number of lines of each package below shell.
func TestPackagesStaySmall(t *testing.T) {
	lines := map[string]int{}
	eachSource(t, "..", func(path string, _ *ast.File) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines[filepath.Dir(path)] += strings.Count(string(text), "\n")
	})
	for dir, n := range lines {
		if n > maxLines {
			t.Errorf("%s has %d lines, want at most %d", dir, n, maxLines)
		}
	}
}

// TestWalkerStaysSmall checks the number of fields and methods of resolve's walker.
func TestWalkerStaysSmall(t *testing.T) {
	fields, methods := 0, 0
	eachSource(t, "../resolve", func(_ string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok && n.Name.Name == "walker" {
					fields = s.Fields.NumFields()
				}
			case *ast.FuncDecl:
				if n.Recv.NumFields() == 0 {
					break
				}
				recv := n.Recv.List[0].Type
				if star, ok := recv.(*ast.StarExpr); ok {
					recv = star.X
				}
				if id, ok := recv.(*ast.Ident); ok && id.Name == "walker" {
					methods++
				}
			}
			return true
		})
	})
	if fields == 0 || fields > maxFields {
		t.Errorf("walker has %d fields, want at most %d", fields, maxFields)
	}
	if methods == 0 || methods > maxMethods {
		t.Errorf("walker has %d methods, want at most %d", methods, maxMethods)
	}
}

// eachSource calls fn with each Go file below dir that is neither a test nor generated.
func eachSource(t *testing.T, dir string, fn func(path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err == nil && !ast.IsGenerated(file) {
			fn(path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
