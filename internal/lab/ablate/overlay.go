package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// A switchOff specifies what is switched off: all functions of a file, one of them, or the rows of a
// table.
type switchOff struct {
	file    string
	name    string // function, Type.Method or variable; "" means every function
	results string // what the function returns; "" means zero values
}

// parseOff parses FILE, FILE:NAME or FILE:NAME=RESULTS.
func parseOff(s string) switchOff {
	file, name, _ := strings.Cut(s, ":")
	name, results, _ := strings.Cut(name, "=")
	return switchOff{file, name, results}
}

// writeOverlay writes copies of files in which the functions and tables in offs are switched off, and
// an overlay file for go build. It returns the path of the overlay file and the number of lines that
// are switched off.
func writeOverlay(dir, root string, offs []switchOff) (path string, lines int, err error) {
	by := map[string][]switchOff{}
	for _, off := range offs {
		by[off.file] = append(by[off.file], off)
	}
	replace := map[string]string{}
	for file, offs := range by {
		source, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return "", 0, err
		}
		text, n, err := withoutParts(file, source, offs)
		if err != nil {
			return "", 0, err
		}
		lines += n
		from, err := filepath.Abs(filepath.Join(root, file))
		if err != nil {
			return "", 0, err
		}
		to := filepath.Join(dir, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return "", 0, err
		}
		replace[from] = to
	}
	path, err = saveOverlay(dir, replace)
	return path, lines, err
}

// saveOverlay writes the file for go build -overlay, which maps source files to their replacements,
// and returns its path.
func saveOverlay(dir string, replace map[string]string) (path string, err error) {
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o600)
}

// An edit replaces source[from:to].
type edit struct {
	from, to int
	text     string
}

// withoutParts returns a source file in which everything in offs is switched off, and the number of
// lines that are. The body of a function remains after the inserted return, so that imports and
// variables are still used.
func withoutParts(name string, source []byte, offs []switchOff) ([]byte, int, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	at := func(p token.Pos) int { return files.Position(p).Offset }
	var edits []edit
	lines := 0
	for _, off := range offs {
		found := false
		for _, decl := range f.Decls {
			var from, to token.Pos
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Body == nil || off.name != "" && off.name != funcName(d) {
					continue
				}
				edits = append(edits, returnAtOnce(d, off.results, at)...)
				from, to = d.Pos(), d.End()
			case *ast.GenDecl:
				lit := tableNamed(d, off.name)
				if lit == nil {
					continue
				}
				edits = append(edits, edit{at(lit.Lbrace) + 1, at(lit.Rbrace), ""})
				from, to = lit.Pos(), lit.End()
			}
			found = true
			lines += files.Position(to).Line - files.Position(from).Line + 1
		}
		if !found {
			return nil, 0, fmt.Errorf("%s has no function or table %q", name, off.name)
		}
	}
	return applyEdits(source, edits), lines, nil
}

// returnAtOnce returns the edits that make a function return before its first statement.
func returnAtOnce(d *ast.FuncDecl, results string, at func(token.Pos) int) []edit {
	body := at(d.Body.Lbrace) + 1
	edits := []edit{{body, body, " return " + results + "; "}}
	list := d.Type.Results
	if list == nil || results != "" || len(list.List[0].Names) > 0 {
		return edits
	}
	if list.Opening == token.NoPos {
		return append(edits, edit{at(list.Pos()), at(list.Pos()), "(_ "}, edit{at(list.End()), at(list.End()), ")"})
	}
	for _, field := range list.List {
		edits = append(edits, edit{at(field.Pos()), at(field.Pos()), "_ "})
	}
	return edits
}

// funcName returns a function's name in the form of switchOff.name.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// tableNamed returns the composite literal that initializes the variable name, or nil if d has none.
func tableNamed(d *ast.GenDecl, name string) *ast.CompositeLit {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || name == "" || len(v.Names) != 1 || v.Names[0].Name != name || len(v.Values) != 1 {
			continue
		}
		if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
			return lit
		}
	}
	return nil
}
