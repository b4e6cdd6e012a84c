package program

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// maxNameChecks is the largest number of comparisons of a program's name outside the tables.
const maxNameChecks = 12

// TestNamesAreInTables counts the comparisons of a program's name with literals in the source, because
// the properties of a program belong in its row or kind. A switch counts once.
func TestNamesAreInTables(t *testing.T) {
	var found []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		options := optionVars(file)
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil && comparesProgramName(n, options) {
				found = append(found, files.Position(n.Pos()).String())
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) > maxNameChecks {
		t.Errorf("%d comparisons of a program's name, want at most %d:\n%s", len(found), maxNameChecks, strings.Join(found, "\n"))
	}
}

// optionVars returns the names of variables in file that hold options or iterate over them. Their Name
// field is not the name of a program.
func optionVars(file *ast.File) map[string]bool {
	out := map[string]bool{"o": true, "f": true, "flag": true, "v": true}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			typ := spec.Type
			if selector, ok := typ.(*ast.SelectorExpr); ok {
				typ = selector.Sel
			}
			if id, ok := typ.(*ast.Ident); ok && id.Name == "Walk" {
				out[spec.Names[0].Name] = true
			}
		}
		return true
	})
	return out
}

// comparesProgramName reports whether n compares a name with that of a program.
func comparesProgramName(n ast.Node, options map[string]bool) bool {
	called := func(x ast.Expr) bool { return isNameExpr(x, options) }
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return (n.Op == token.EQL || n.Op == token.NEQ) && (called(n.X) && isProgramLiteral(n.Y) || called(n.Y) && isProgramLiteral(n.X))
	case *ast.SwitchStmt:
		if n.Tag == nil || !called(n.Tag) {
			return false
		}
		for _, clause := range n.Body.List {
			for _, expr := range clause.(*ast.CaseClause).List {
				if isProgramLiteral(expr) {
					return true
				}
			}
		}
	}
	return false
}

// isNameExpr reports whether x looks like the name of a program, such as c.Name, and not of an option.
func isNameExpr(x ast.Expr, options map[string]bool) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		return (x.Sel.Name == "Name" || x.Sel.Name == "name") && !(ok && options[id.Name])
	case *ast.Ident:
		return x.Name == "name" || x.Name == "program" || x.Name == "prog" || x.Name == "tool" || x.Name == "runner"
	}
	return false
}

// isProgramLiteral reports whether x is a literal with the name of a program that has a row, a kind or
// rules.
func isProgramLiteral(x ast.Expr) bool {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return false
	}
	name, _ := strconv.Unquote(lit.Value)
	if name == "" || strings.Contains(name, " ") {
		return false
	}
	row, _ := findRow(name)
	return row != nil || traitsOf(name) != 0 || FilesOf(name) != 0 || SendsOf(name) != 0 || OutputOf(name) != 0 || RulesFor(name) != ""
}
