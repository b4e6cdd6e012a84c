package conformance

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// scripts is the test that runs a directory of scripts, a row each.
const scripts = "cmd/checkrein TestScripts/"

// Find looks for a test: "DIRECTORY TestName" or "DIRECTORY TestName/row". A row is
// a text in quotes in the test, or in what the test uses of its directory, or, of
// TestScripts, the name of a script. root is the repository.
func Find(root, ref string) error {
	if name, ok := strings.CutPrefix(ref, scripts); ok {
		_, err := os.Stat(filepath.Join(root, "cmd", "checkrein", "testdata", "script", name+".txtar"))
		return err
	}
	dir, test, ok := strings.Cut(ref, " ")
	if !ok || !strings.HasPrefix(test, "Test") {
		return errors.New("write a reference as DIRECTORY TestName, or DIRECTORY TestName/row")
	}
	tests, err := testsOf(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return err
	}
	name, row, _ := strings.Cut(test, "/")
	if tests[name] == nil {
		return fmt.Errorf("%s has no %s", dir, name)
	}
	if row != "" && !tests.literals(name).has(row) {
		return fmt.Errorf("%s %s has no row %q", dir, name, row)
	}
	return nil
}

// tests are the declarations in a directory's test files, by name.
type tests map[string]*declaration

// A declaration holds what a declaration of a test file contains.
type declaration struct {
	literals []string // texts in quotes
	uses     []string // identifiers
}

// literals are the texts in quotes of a declaration and of all that it uses.
func (t tests) literals(name string) texts {
	out, seen := texts{}, map[string]bool{}
	todo := []string{name}
	for len(todo) > 0 {
		name, todo = todo[0], todo[1:]
		d := t[name]
		if d == nil || seen[name] {
			continue
		}
		seen[name] = true
		for _, l := range d.literals {
			out[l] = true
		}
		todo = append(todo, d.uses...)
	}
	return out
}

type texts map[string]bool

// has looks for a row: in one piece, or by the names that are nested.
func (t texts) has(row string) bool {
	if t[row] {
		return true
	}
	outer, inner, ok := strings.Cut(row, "/")
	return ok && t[outer] && t.has(inner)
}

var known sync.Map // a directory → its tests

func testsOf(dir string) (tests, error) {
	if t, ok := known.Load(dir); ok {
		return t.(tests), nil
	}
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no tests", dir)
	}
	out := tests{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		out.read(file)
	}
	known.Store(dir, out)
	return out, nil
}

func (t tests) read(file *ast.File) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			t.add(decl.Name.Name, decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						t.add(name.Name, v)
					}
				}
			}
		}
	}
}

// add notes what a declaration has in it. Methods of one name are taken together.
func (t tests) add(name string, decl ast.Node) {
	d := t[name]
	if d == nil {
		d = &declaration{}
		t[name] = d
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			d.uses = append(d.uses, n.Name)
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				d.literals = append(d.literals, strings.Trim(n.Value, "\"`"))
			}
		}
		return true
	})
}

// FindHeading looks for a place in the documentation: docs/FILE.md, or
// docs/FILE.md#anchor with the anchor that a heading gets on the web.
func FindHeading(root, place string) error {
	name, anchor, has := strings.Cut(place, "#")
	if path.Clean(name) != name || !strings.HasPrefix(name, "docs/") {
		return errors.New("write a place as docs/FILE.md#anchor")
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil || !has {
		return err
	}
	if !HasHeading(text, anchor) {
		return fmt.Errorf("%s has no heading whose anchor is %q", name, anchor)
	}
	return nil
}

// HasHeading looks for a heading by its anchor.
func HasHeading(page []byte, anchor string) bool {
	for line := range strings.Lines(string(page)) {
		heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if ok && line[0] == '#' && Anchor(heading) == anchor {
			return true
		}
	}
	return false
}

var dropped = regexp.MustCompile(`[^\p{L}\p{N}\p{M}_ -]`)

// Anchor is what a heading's link ends with.
func Anchor(heading string) string {
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
}
