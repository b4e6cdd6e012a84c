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
// a text that the test's directory has in quotes, or, of TestScripts, the name of a
// script. root is the repository.
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
	if !tests.functions[name] {
		return fmt.Errorf("%s has no %s", dir, name)
	}
	if row != "" && !tests.quotes(row) {
		return fmt.Errorf("%s %s has no row %q", dir, name, row)
	}
	return nil
}

// tests are a directory's.
type tests struct {
	functions map[string]bool
	literals  map[string]bool // texts in quotes
}

// quotes looks for a row: in one piece, or by the names that are nested.
func (t *tests) quotes(row string) bool {
	if t.literals[row] {
		return true
	}
	outer, inner, ok := strings.Cut(row, "/")
	return ok && t.literals[outer] && t.quotes(inner)
}

var known sync.Map // a directory → its tests

func testsOf(dir string) (*tests, error) {
	if t, ok := known.Load(dir); ok {
		return t.(*tests), nil
	}
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no tests", dir)
	}
	out := &tests{functions: map[string]bool{}, literals: map[string]bool{}}
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

func (t *tests) read(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil {
				t.functions[n.Name.Name] = true
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				t.literals[strings.Trim(n.Value, "\"`")] = true
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
