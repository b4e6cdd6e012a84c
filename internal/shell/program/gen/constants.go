package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
)

// A constants holds the names of constants of package shell, indexed by their values.
type constants struct {
	categories, packs, labels, impacts []string
}

// readConstants reads the constants of package shell, whose source is in the parent directory of dir.
func readConstants(dir string) (c constants, err error) {
	for _, one := range [...]struct {
		list       *[]string
		file, kind string
	}{
		{&c.categories, "category.go", "Category"}, {&c.packs, "pack.go", "Pack"},
		{&c.labels, "effect.go", "Label"}, {&c.impacts, "effect.go", "Impact"},
	} {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "..", one.file), nil, parser.SkipObjectResolution)
		if err != nil {
			return c, err
		}
		*one.list = constantNames(tree, one.kind)
	}
	return c, nil
}

// constantNames returns the names of the constants of type kind in tree, which are declared in one
// group.
func constantNames(tree *ast.File, kind string) (out []string) {
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
