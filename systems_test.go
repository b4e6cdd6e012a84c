package checkrein_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestOtherSystems type-checks both programs and every test for the other operating systems. It does
// not compile them, which would take minutes; make vet-all does.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			t.Parallel()
			if goos == runtime.GOOS {
				t.Skip("this one compiles them")
			}
			if n := checkTypes(t, ".", module, "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0"); n < 100 {
				t.Errorf("%d packages of ours were read", n)
			}
		})
	}
}

// TestFileNames checks that no two files differ only in the case of their names. Go refuses to download such
// a module, so `go install` of a version would fail, and macOS and Windows keep only one of the files.
func TestFileNames(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	seen := map[string]string{}
	for _, file := range strings.Fields(string(out)) {
		if other, ok := seen[strings.ToLower(file)]; ok {
			t.Errorf("%s and %s have the same name where case does not count", file, other)
		}
		seen[strings.ToLower(file)] = file
	}
}

// TestModules checks that every module of the repository is tidy and type-checks it, because nothing
// else may use a module for months. If a registry lacks packages that only the tests of others need,
// tidiness cannot be checked, and the test logs that.
func TestModules(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "ls-files", "go.mod", "*/go.mod").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for _, file := range strings.Fields(string(out)) {
		dir := filepath.Dir(file)
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			var diff, said strings.Builder
			cmd := exec.Command("go", "mod", "tidy", "-diff")
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &diff, &said
			if err := cmd.Run(); diff.Len() > 0 {
				t.Fatalf("not tidy: run 'go mod tidy' in %s\n%s", dir, diff.String())
			} else if err != nil {
				t.Logf("tidiness was not compared: %v: %s", err, said.String())
			}
			if dir != "." { // which is compiled
				path := module + "/" + filepath.ToSlash(dir)
				if n := checkTypes(t, dir, path); n == 0 {
					t.Errorf("no package below %s was read", path)
				}
			}
		})
	}
}

// A unit is a package as the compiler gets it. A package with its tests is another unit.
type unit struct {
	ImportPath string
	ForTest    string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Module     *struct{ GoVersion string }
}

// isIn reports whether the package, or the package that it tests, is in module.
func (u unit) isIn(module string) bool {
	return strings.HasPrefix(u.ImportPath+"/", module+"/") || u.ForTest != ""
}

// checkTypes type-checks the packages of the module in dir and all that they import. It returns how
// many are the module's own; only their function bodies are checked.
func checkTypes(t *testing.T, dir, module string, environ ...string) int {
	t.Helper()
	var said strings.Builder
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,ForTest,Dir,GoFiles,ImportMap,Module", "./...")
	cmd.Dir, cmd.Stderr = dir, &said
	cmd.Env = append(append(cmd.Environ(), "CGO_ENABLED=0"), environ...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, said.String())
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
			IgnoreFuncBodies: !u.isIn(module) || u.ForTest == "" && tested[u.ImportPath],
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
			t.Fatalf("%s: %v", u.ImportPath, err)
		}
		known[u.ImportPath] = p
		if !config.IgnoreFuncBodies {
			sum++
		}
	}
	t.Logf("%d packages of %s, %d in all", sum, module, len(units))
	return sum
}

// An importer returns packages that were already checked.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// TestVersionStamp builds both programs with the linker flags of the Makefile and checks the versions
// that they print. The linker accepts a flag for a variable that does not exist; all programs would
// then be of the build "dev" and trust each other.
func TestVersionStamp(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`(?m)^LDFLAGS *= *(.*)\$\(VERSION\)$`).FindSubmatch(text)
	if flags == nil {
		t.Fatal("the Makefile has no LDFLAGS with $(VERSION)")
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-ldflags", string(flags[1])+"stamped", "-o", dir+string(filepath.Separator), "./cmd/checkrein", "./cmd/checkreind")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, program := range []string{"checkrein", "checkreind"} {
		cmd := exec.Command(filepath.Join(dir, program), "version")
		cmd.Env = []string{"HOME=" + dir}
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "stamped") {
			t.Errorf("%s version: %s, %v", program, out, err)
		}
	}
}
