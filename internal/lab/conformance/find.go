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

// scriptTest is the prefix of references to scripts, which are rows of one test.
const scriptTest = "cmd/checkrein TestScripts/"

// Find returns an error unless the test ref exists: "DIRECTORY TestName" or "DIRECTORY TestName/row".
// A row is a string literal in the test or in a declaration of its directory that the test uses; a row
// of TestScripts is the name of a script. root is the repository.
func Find(root, ref string) error {
	if name, ok := strings.CutPrefix(ref, scriptTest); ok {
		_, err := os.Stat(filepath.Join(root, "cmd", "checkrein", "testdata", "script", name+".txtar"))
		return err
	}
	dir, test, ok := strings.Cut(ref, " ")
	if !ok || !strings.HasPrefix(test, "Test") {
		return errors.New("write a reference as DIRECTORY TestName, or DIRECTORY TestName/row")
	}
	tests, err := readTests(filepath.Join(root, filepath.FromSlash(dir)))
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

// tests maps names to the declarations in a directory's test files.
type tests map[string]*declaration

// A declaration holds what a declaration of a test file contains.
type declaration struct {
	literals []string // string literals
	uses     []string // identifiers
}

// literals returns the string literals in a declaration and in all declarations that it uses.
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

// has reports whether row, or each of the parts between its slashes, is in t.
func (t texts) has(row string) bool {
	if t[row] {
		return true
	}
	outer, inner, ok := strings.Cut(row, "/")
	return ok && t[outer] && t.has(inner)
}

var known sync.Map // a directory → its tests

// readTests returns the tests of a directory. It parses each directory only once.
func readTests(dir string) (tests, error) {
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

// add records the identifiers and string literals of a declaration. Methods of the same name are
// merged.
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

// FindHeading returns an error unless place exists in the documentation: docs/FILE.md, or
// docs/FILE.md#anchor with the anchor of a heading.
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

// HasHeading reports whether a Markdown page has a heading with this anchor.
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

// Anchor returns the anchor that GitHub gives a heading.
func Anchor(heading string) string {
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
}
