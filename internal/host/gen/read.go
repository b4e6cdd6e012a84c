package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A row is the syntax of the hosts.Row of one host.
type row struct {
	folder string // the directory and name of its package
	name   string
	rank   int
	fields map[string]ast.Expr
	vars   map[string]ast.Expr // the variables of the same file
	setup  map[string]bool     // the names of the variables in its setup package
}

// readRows reads the rows of all hosts in dir, in order of rank.
func readRows(dir string) ([]row, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "row.go"))
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, file := range files {
		r, err := readRow(file)
		if err == nil {
			r.setup, err = declaredNames(filepath.Join(filepath.Dir(file), "setup"))
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.rank, b.rank) })
	for i := range rows {
		if rows[i].rank != i+1 {
			return nil, fmt.Errorf("%s: the rank is %d, not %d: ranks count from 1", rows[i].folder, rows[i].rank, i+1)
		}
	}
	return rows, nil
}

// declaredNames returns the names of the variables that the package in dir declares.
func declaredNames(dir string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for name := range declaredVars(tree) {
			names[name] = true
		}
	}
	return names, nil
}

// declaredVars returns the variables that a file declares, with their values.
func declaredVars(tree *ast.File) map[string]ast.Expr {
	vars := map[string]ast.Expr{}
	for _, d := range tree.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.VAR {
			continue
		}
		for _, s := range decl.Specs {
			if spec := s.(*ast.ValueSpec); len(spec.Values) == 1 {
				vars[spec.Names[0].Name] = spec.Values[0]
			}
		}
	}
	return vars
}

// readRow reads the row that a file declares.
func readRow(file string) (row, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return row{}, err
	}
	r := row{folder: tree.Name.Name, fields: map[string]ast.Expr{}, vars: declaredVars(tree)}
	lit, ok := r.vars["Row"].(*ast.CompositeLit)
	if !ok {
		return r, fmt.Errorf("%s has no Row", file)
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			r.fields[kv.Key.(*ast.Ident).Name] = kv.Value
		}
	}
	if r.name, err = strconv.Unquote(r.exprText(r.fields["Name"])); err != nil {
		return r, fmt.Errorf("%s: the name must be a literal: %w", file, err)
	}
	r.rank, err = strconv.Atoi(r.exprText(r.fields["Rank"]))
	return r, err
}

// elements returns the elements of the list e, or nil if the row does not have it.
func (r *row) elements(e ast.Expr) []ast.Expr {
	if id, ok := e.(*ast.Ident); ok {
		e = r.vars[id.Name]
	}
	if lit, ok := e.(*ast.CompositeLit); ok {
		return lit.Elts
	}
	return nil
}

// exprText returns an expression as it is written in package hosts: on one line, and with variables
// replaced by their values.
func (r *row) exprText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.Ident:
		if v, ok := r.vars[e.Name]; ok {
			return r.exprText(v)
		}
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.BinaryExpr:
		return r.exprText(e.X) + " " + e.Op.String() + " " + r.exprText(e.Y)
	case *ast.KeyValueExpr:
		return r.exprText(e.Key) + ": " + r.exprText(e.Value)
	case *ast.ArrayType:
		return "[]" + r.exprText(e.Elt)
	case *ast.CompositeLit:
		var parts []string
		for _, one := range e.Elts {
			parts = append(parts, r.exprText(one))
		}
		text := "{" + strings.Join(parts, ", ") + "}"
		if e.Type != nil {
			text = r.exprText(e.Type) + text
		}
		return text
	}
	return fmt.Sprintf("<%T>", e) // not valid Go, so that the build fails
}
