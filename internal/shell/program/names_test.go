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

// maxNameChecks is how many places outside of the tables may compare a program's name.
const maxNameChecks = 245

// TestNamesAreInTables counts on the syntax tree where code compares a program's name with
// literals: what a program is belongs in its row or kind. A switch counts once.
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
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil && checksName(n) {
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
		t.Errorf("%d comparisons of a program's name, at most %d:\n%s", len(found), maxNameChecks, strings.Join(found, "\n"))
	}
}

// checksName reports whether a node compares what is called a name with that of a program.
func checksName(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return (n.Op == token.EQL || n.Op == token.NEQ) && (calledName(n.X) && namesProgram(n.Y) || calledName(n.Y) && namesProgram(n.X))
	case *ast.SwitchStmt:
		if n.Tag == nil || !calledName(n.Tag) {
			return false
		}
		for _, clause := range n.Body.List {
			for _, expr := range clause.(*ast.CaseClause).List {
				if namesProgram(expr) {
					return true
				}
			}
		}
	}
	return false
}

// calledName reports whether an expression is called as names of programs are.
func calledName(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		return (x.Sel.Name == "Name" || x.Sel.Name == "name") && !(ok && (id.Name == "o" || id.Name == "f" || id.Name == "flag" || id.Name == "v"))
	case *ast.Ident:
		return x.Name == "name" || x.Name == "program" || x.Name == "prog" || x.Name == "tool" || x.Name == "runner"
	}
	return false
}

// namesProgram reports whether an expression is the name of a program with a row or rules.
func namesProgram(x ast.Expr) bool {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return false
	}
	name, _ := strconv.Unquote(lit.Value)
	if name == "" || strings.Contains(name, " ") {
		return false
	}
	row, _ := findRow(name)
	return row != nil || traitsOf(name) != 0 || FilesOf(name) != 0 || SendsOf(name) != 0 || OutputOf(name) != 0 || RulesAbout(name) != ""
}
