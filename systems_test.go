package checkrein_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestOtherSystems has the type checker read both programs and every test for systems
// that are not this one. It compiles nothing, which would take minutes; `make vet-all`
// does.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			t.Parallel()
			if goos == runtime.GOOS {
				t.Skip("this one compiles them")
			}
			checkTypes(t, goos)
		})
	}
}

// A unit is a package as the compiler would get it: with its tests it is another one.
type unit struct {
	ImportPath string
	ForTest    string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Module     *struct{ GoVersion string }
}

func (u unit) ours() bool { return strings.HasPrefix(u.ImportPath+"/", module+"/") || u.ForTest != "" }

func checkTypes(t *testing.T, goos string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,ForTest,Dir,GoFiles,ImportMap,Module", "./...")
	cmd.Env = append(cmd.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var units []unit
	tested := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var u unit
		if err := dec.Decode(&u); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		units = append(units, u)
		tested[u.ForTest] = true
	}
	fset, known, sum := token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}, 0
	for _, u := range units { // each after those that it imports
		if u.ImportPath == "unsafe" || strings.HasSuffix(u.ImportPath, ".test") {
			continue
		}
		path, _, _ := strings.Cut(u.ImportPath, " ")
		config := types.Config{
			Importer: importer(func(path string) (*types.Package, error) {
				if to, ok := u.ImportMap[path]; ok {
					path = to
				}
				if p := known[path]; p != nil {
					return p, nil
				}
				return nil, errors.New("not read: " + path)
			}),
			// Whoever wrote it has compiled it; and ours is read with its tests as well.
			IgnoreFuncBodies: !u.ours() || u.ForTest == "" && tested[u.ImportPath],
			Sizes:            types.SizesFor("gc", "amd64"),
			FakeImportC:      true,
			Error:            func(err error) { t.Error(err) },
		}
		if u.Module != nil && u.Module.GoVersion != "" {
			config.GoVersion = "go" + u.Module.GoVersion
		}
		var files []*ast.File
		for _, name := range u.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(u.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		p, err := config.Check(path, fset, files, nil)
		if err != nil {
			t.Fatalf("%s on %s: %v", u.ImportPath, goos, err)
		}
		known[u.ImportPath] = p
		if !config.IgnoreFuncBodies {
			sum++
		}
	}
	if sum < 100 {
		t.Errorf("%d packages of ours were read", sum)
	}
	t.Logf("%d packages of ours, %d in all", sum, len(units))
}

// An importer gives packages that were read before.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
