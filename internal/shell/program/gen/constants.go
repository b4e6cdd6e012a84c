package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
)

// A constants holds the names of constants of package shell, by their values.
type constants struct {
	categories, packs, labels, radii []string
}

// readConstants returns the constants of package shell, the parent directory of dir.
func readConstants(dir string) (c constants, err error) {
	for _, one := range [...]struct {
		list       *[]string
		file, kind string
	}{
		{&c.categories, "category.go", "Category"}, {&c.packs, "pack.go", "Pack"},
		{&c.labels, "effect.go", "Label"}, {&c.radii, "effect.go", "Impact"},
	} {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "..", one.file), nil, parser.SkipObjectResolution)
		if err != nil {
			return c, err
		}
		*one.list = constantsOf(tree, one.kind)
	}
	return c, nil
}

// constantsOf returns the names of the constants of a type, which are declared together.
func constantsOf(tree *ast.File, kind string) (out []string) {
	for _, decl := range tree.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		if first, ok := group.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident); !ok || first.Name != kind {
			continue
		}
		for _, spec := range group.Specs {
			out = append(out, spec.(*ast.ValueSpec).Names[0].Name)
		}
	}
	return out
}
